import { Registry } from 'prom-client'
import { accounts } from '#accounts/index.ts'
import { openCompany } from '#company/open.ts'
import { consent } from '#consent/index.ts'
import type { Door } from '#core/door.ts'
import type { Route } from '#core/route.ts'
import { type Traces, UNTRACED } from '#core/traces.ts'
import type { Storage } from '#core/tx.ts'
import { openFiles } from '#files/open.ts'
import type { House } from '#http/house.ts'
import type { Log } from '#http/log.ts'
import { healthServer, httpServer } from '#http/server.ts'
import { Streams } from '#http/streams.ts'
import { openBuild } from '#http/web/build.ts'
import { authenticator } from '#identity/authenticate.ts'
import { sessionCookie } from '#identity/cookie.ts'
import { authorizationServer } from '#identity/oauth/server.ts'
import { counted, usageOf } from '#limits/usage.ts'
import { addressLimit, type Limit, rateLimit, sessionLimit } from '#limits/window.ts'
import { activity } from '#resources/activity/index.ts'
import { apiKeys } from '#resources/api-keys/index.ts'
import { applications } from '#resources/applications/index.ts'
import { attachments } from '#resources/attachments/index.ts'
import { audit } from '#resources/audit/index.ts'
import { boot } from '#resources/boot/index.ts'
import { comments } from '#resources/comments/index.ts'
import { deliveries } from '#resources/deliveries/index.ts'
import { events } from '#resources/events/index.ts'
import { exports } from '#resources/exports/index.ts'
import { grants } from '#resources/grants/index.ts'
import { imports } from '#resources/imports/index.ts'
import { invitations } from '#resources/invitations/index.ts'
import { leaving } from '#resources/leaving/index.ts'
import { live } from '#resources/live/index.ts'
import { lost } from '#resources/lost/index.ts'
import { me } from '#resources/me/index.ts'
import { members } from '#resources/members/index.ts'
import { notifications } from '#resources/notifications/index.ts'
import { outline } from '#resources/outline/index.ts'
import { projects } from '#resources/projects/index.ts'
import { reports } from '#resources/reports/index.ts'
import { searching } from '#resources/search/index.ts'
import { sessions } from '#resources/sessions/index.ts'
import { tags } from '#resources/tags/index.ts'
import { tasks } from '#resources/tasks/index.ts'
import { templates } from '#resources/templates/index.ts'
import { timeEntries } from '#resources/time-entries/index.ts'
import { views } from '#resources/views/index.ts'
import { webhooks } from '#resources/webhooks/index.ts'
import { workspace } from '#resources/workspace/index.ts'
import { keyFor } from '#storage/seal.ts'
import type { Config } from './config.ts'
import { openCounting } from './counting.ts'
import type { Part } from './part.ts'

/** Everything that is served: a new resource is a line here. */
export const routes: readonly Route[] = [
  ...projects,
  ...members,
  ...webhooks,
  ...deliveries,
  ...events,
  ...me,
  ...sessions,
  ...boot,
  ...outline,
  ...views,
  ...searching,
  ...reports,
  ...live,
  ...tags,
  ...tasks,
  ...templates,
  ...activity,
  ...lost,
  ...notifications,
  ...comments,
  ...timeEntries,
  ...attachments,
  ...leaving,
  ...workspace,
  ...audit,
  ...apiKeys,
  ...applications,
  ...grants,
  ...invitations,
  ...imports,
  ...exports,
]

/** What is more than an operation within a transaction: ways to a session and to an account, and consent. */
export const doors: readonly Door[] = [...accounts, ...consent]

/** What is published as /api/v1; the other routes serve the web app alone (contract 9). */
export const published = routes.filter(({ endpoint }) => endpoint.scope !== 'session')

/** Of each session, for what is for the web app alone (contract 9). */
const SESSION_REQUESTS_PER_MINUTE = 600

/** Many people may share an address, and each of them may come from several applications. */
const ASKING_FACTOR = 10

/** The same limit: where it is counted elsewhere, it is what a request waits for. */
const seen =
  (limit: Limit, traces: Traces): Limit =>
  (actor) =>
    traces.within({ name: 'check the limit' }, () => limit(actor))

/** What not every process has. */
interface Lent {
  traces?: Traces | undefined
  /** Whether it refuses what is more than it can do; tests share a machine with other work. */
  sheds?: boolean
}

/** Wires the house. `secret` is that of the installation. */
export async function app(
  storage: Storage,
  config: Config,
  secret: string,
  log: Log,
  { serves }: Pick<Part, 'serves'> = { serves: true },
  { traces, sheds = true }: Lent = {},
) {
  const { baseUrl, loopback, limits, trustProxy, metricsToken, maxAttachmentBytes } = config
  const registry = new Registry()
  // What not every installation has is loaded only where it is set: each start costs less.
  const mail =
    config.mail &&
    (await import('#mail/open.ts')).openMail(config.mail, log, { traces: traces ?? UNTRACED })
  const company = openCompany(config.company, baseUrl, log)
  const { signup, defaultPlan: plan } = config
  const deviceKey = keyFor(secret, 'devices')
  const usage = usageOf()
  const counting = await openCounting(config, log, registry)
  const limit = counted(rateLimit(limits, counting.counter), usage)
  const house: House = {
    storage,
    means: { storage, mail, company, baseUrl, signup, plan, deviceKey, log },
    authenticator: authenticator(storage, sessionCookie(baseUrl)),
    oauth: authorizationServer({
      ...{ storage, baseUrl },
      keys: { cookies: keyFor(secret, 'oauth cookies'), signing: keyFor(secret, 'oauth signing') },
    }),
    oauthRegistration: config.oauthRegistration,
    limit: traces ? seen(limit, traces) : limit,
    sessionLimit: sessionLimit(SESSION_REQUESTS_PER_MINUTE, counting.counter),
    addressLimit: addressLimit(limits.unauthenticated),
    askingLimit: addressLimit(limits.unauthenticated * ASKING_FACTOR),
    baseUrl,
    cursorSecret: keyFor(secret, 'cursors').toString('base64url'),
    loopbackOnly: loopback,
    trustProxy,
    metricsToken,
    web: openBuild(),
    name: config.name,
    landing: config.landing,
    files: openFiles(config),
    maxAttachmentBytes,
    streams: new Streams(registry, storage.notices),
    registry,
    figures: () => registry.metrics(),
    load: { requests: 0, served: 0 },
    sheds,
    log,
    traces,
    starting: false,
    drain: { draining: false },
  }
  const server = serves ? httpServer(house, routes, doors) : healthServer(house)
  server.addHook('onReady', async () => {
    await counting.ready()
  })
  server.addHook('onClose', counting.close)
  return { server, house, usage, mail }
}
