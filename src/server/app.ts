import { Registry } from 'prom-client'
import { accountActions } from '#accounts/index.ts'
import { consentActions } from '#accounts/oauth-consent/index.ts'
import { createAuthenticator } from '#auth/authenticator.ts'
import { createAuthorizationServer } from '#auth/oauth/authorization-server.ts'
import { CONSENT_TTL_SECONDS } from '#auth/oauth/consent-cookie.ts'
import { sessionCookieName } from '#auth/sessions/session-cookie.ts'
import { deriveSetupToken } from '#auth/workspaces/setup-token.ts'
import type { Config } from '#config/config.ts'
import type { Route } from '#core/route.ts'
import type { SessionAction } from '#core/session-action.ts'
import type { TraceRecorder } from '#core/trace-recorder.ts'
import type { Storage } from '#core/transaction.ts'
import { createEncryptor, deriveKey } from '#db/installation/encryption.ts'
import { openFiles } from '#files/open.ts'
import type { AppContext } from '#http/app-context.ts'
import { FeedStreams } from '#http/feed/feed-streams.ts'
import { LiveStreamRegistry } from '#http/live-stream/live-stream-registry.ts'
import { TRANSFER_TIMEOUTS, type TransferTimeouts } from '#http/request/transfer-timeouts.ts'
import type { Logger } from '#http/server/log.ts'
import { createHealthServer, createHttpServer } from '#http/server/server.ts'
import { createUploadSlots, MAX_CONCURRENT_UPLOADS } from '#http/uploads/upload-slots.ts'
import { loadWebAppBuild } from '#http/web-app/web-app-build.ts'
import {
  createAddressRateLimiter,
  createRateLimiter,
  createSessionRateLimiter,
  type RateLimiter,
} from '#rate-limits/rate-limiter.ts'
import { createRequestUsage, withUsageCount } from '#rate-limits/request-usage.ts'
import { activity } from '#resources/activity/index.ts'
import { apiKeys } from '#resources/api-keys/index.ts'
import { grants } from '#resources/applications/grants/index.ts'
import { applications } from '#resources/applications/index.ts'
import { attachments } from '#resources/attachments/index.ts'
import { audit } from '#resources/audit/index.ts'
import { changes } from '#resources/changes/index.ts'
import { comments } from '#resources/comments/index.ts'
import { deliveries } from '#resources/deliveries/index.ts'
import { events } from '#resources/events/index.ts'
import { exports } from '#resources/exports/index.ts'
import { imports } from '#resources/imports/index.ts'
import { invitations } from '#resources/invitations/index.ts'
import { me } from '#resources/me/index.ts'
import { members } from '#resources/members/index.ts'
import { notifications } from '#resources/notifications/index.ts'
import { offboarding } from '#resources/offboarding/index.ts'
import { projects } from '#resources/projects/index.ts'
import { sessions } from '#resources/sessions/index.ts'
import { tags } from '#resources/tags/index.ts'
import { tasks } from '#resources/tasks/index.ts'
import { templates } from '#resources/templates/index.ts'
import { timeEntries } from '#resources/time-entries/index.ts'
import { boot } from '#resources/web-app/boot/index.ts'
import { liveUpdates } from '#resources/web-app/live-updates/index.ts'
import { projectIndex } from '#resources/web-app/project-index/index.ts'
import { reports } from '#resources/web-app/reports/index.ts'
import { search } from '#resources/web-app/search/index.ts'
import { suggestions } from '#resources/web-app/suggestions/index.ts'
import { views } from '#resources/web-app/views/index.ts'
import { webhooks } from '#resources/webhooks/index.ts'
import { workspace } from '#resources/workspace/index.ts'
import { EVENT_SCHEMAS } from './event-schemas.ts'
import type { ProcessRole } from './process-role.ts'
import { openRateLimitCounter } from './rate-limit-wiring.ts'

/** All routes. A new resource needs a line here. */
export const routes: readonly Route[] = [
  ...projects,
  ...members,
  ...webhooks,
  ...deliveries,
  ...events,
  ...changes,
  ...me,
  ...sessions,
  ...boot,
  ...projectIndex,
  ...views,
  ...search,
  ...reports,
  ...liveUpdates,
  ...tags,
  ...tasks,
  ...templates,
  ...activity,
  ...suggestions,
  ...notifications,
  ...comments,
  ...timeEntries,
  ...attachments,
  ...offboarding,
  ...workspace,
  ...audit,
  ...apiKeys,
  ...applications,
  ...grants,
  ...invitations,
  ...imports,
  ...exports,
]

/** Endpoints that need more than one transaction: sign-in, accounts and consent. */
export const sessionActions: readonly SessionAction[] = [...accountActions, ...consentActions]

/** The public API under /api/v1; the other routes only serve the web app (docs/spec/api.md#internal-api-of-the-web-app). */
export const publicRoutes = routes.filter(({ endpoint }) => endpoint.scope !== 'session')

/** The limit of a person's sessions in a workspace for endpoints of the web app (docs/spec/api.md#internal-api-of-the-web-app). */
const SESSION_REQUESTS_PER_MINUTE = 600

/** Many people may share an IP address, and each may be sent here by several applications. */
const AUTHORIZATION_REQUEST_FACTOR = 10

/** Adds a span: with shared counters, requests wait for the limit. */
const traceLimit =
  (limit: RateLimiter, traces: TraceRecorder): RateLimiter =>
  (actor) =>
    traces.runInChildSpan({ name: 'check the limit' }, () => limit(actor))

/** Options that only some processes use. */
interface AppOptions {
  traces?: TraceRecorder | undefined
  /** Whether to shed load. Tests turn it off, because they share a machine with other work. */
  sheds?: boolean
  /**
   * The clock of the rate limits until the time of a shared store is known. It is the system time, also
   * if that is set back.
   */
  now?: () => number
  transferTimeouts?: TransferTimeouts
}

/** Creates the server with all its services. `secret` is the secret of the installation. */
export async function createApp(
  storage: Storage,
  config: Config,
  secret: string,
  log: Logger,
  { servesRequests }: Pick<ProcessRole, 'servesRequests'> = { servesRequests: true },
  { traces, sheds = true, now = Date.now, transferTimeouts = TRANSFER_TIMEOUTS }: AppOptions = {},
) {
  const { baseUrl, loopback, limits, trustProxy, metricsToken, maxAttachmentBytes } = config
  const registry = new Registry()
  // Optional services are loaded only if they are configured, to keep the start fast.
  const mail = config.mail && (await import('#mail/smtp.ts')).openMail(config.mail, traces)
  const company =
    config.sso && (await import('#sso/sso-provider.ts')).createSsoProvider(config.sso, baseUrl, log)
  const { signup, defaultPlan: plan } = config
  const deviceKey = deriveKey(secret, 'devices')
  const signInEncryptor = createEncryptor(deriveKey(secret, 'sign-in states').toString('base64url'))
  const usage = createRequestUsage()
  const rateLimits = await openRateLimitCounter(config, log, registry, now)
  const limit = withUsageCount(createRateLimiter(limits, rateLimits.counter, rateLimits.now), usage)
  const appContext: AppContext = {
    storage,
    actionDeps: {
      storage,
      hasMail: mail !== undefined,
      ssoProvider: company,
      baseUrl,
      signup,
      plan,
      log,
      deviceKey,
      signInEncryptor,
      setupToken:
        signup === 'open'
          ? undefined
          : { token: deriveSetupToken(secret), isAlwaysRequired: config.requiresSetupToken },
    },
    authenticator: createAuthenticator(storage, sessionCookieName(baseUrl)),
    oauth: createAuthorizationServer({
      storage,
      baseUrl,
      keys: {
        cookies: deriveKey(secret, 'oauth cookies'),
        signing: deriveKey(secret, 'oauth signing'),
        refreshTokens: deriveKey(secret, 'oauth refresh tokens'),
      },
    }),
    oauthRegistration: config.oauthRegistration,
    limit: traces ? traceLimit(limit, traces) : limit,
    sessionLimit: createSessionRateLimiter(
      SESSION_REQUESTS_PER_MINUTE,
      rateLimits.counter,
      rateLimits.now,
    ),
    addressLimit: createAddressRateLimiter(limits.unauthenticated, now),
    authorizationRequestLimit: createAddressRateLimiter(
      limits.unauthenticated * AUTHORIZATION_REQUEST_FACTOR,
      now,
    ),
    anonymousAuthorizationLimit: createAddressRateLimiter(
      limits.unauthenticated * AUTHORIZATION_REQUEST_FACTOR,
      now,
      { windowMs: CONSENT_TTL_SECONDS * 1_000 },
    ),
    baseUrl,
    eventSchemas: EVENT_SCHEMAS,
    cursorSecret: deriveKey(secret, 'cursors').toString('base64url'),
    loopbackOnly: loopback,
    trustProxy,
    logAddresses: config.logAddresses,
    metricsToken,
    webApp: loadWebAppBuild(),
    name: config.name,
    hasLandingPage: config.landing,
    files: openFiles(config),
    maxAttachmentBytes,
    transferTimeouts,
    uploadSlots: createUploadSlots(MAX_CONCURRENT_UPLOADS),
    liveStreams: new LiveStreamRegistry(registry, storage.changeFeed),
    feedStreams: new FeedStreams(registry),
    registry,
    renderMetrics: () => registry.metrics(),
    load: { requests: 0, served: 0 },
    shedsLoad: sheds,
    log,
    traces,
    isStarting: false,
    drain: { draining: false },
  }
  const server = servesRequests
    ? createHttpServer(appContext, routes, sessionActions)
    : createHealthServer(appContext)
  server.addHook('onReady', async () => {
    await rateLimits.ready()
  })
  server.addHook('onClose', rateLimits.close)
  return { server, appContext, usage, mail }
}
