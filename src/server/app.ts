import { setTimeout as pause } from 'node:timers/promises'
import { Counter as Metric, Registry } from 'prom-client'
import { accountActions } from '#accounts/index.ts'
import { invitationEmail } from '#accounts/invitations/invitations.ts'
import { consentActions } from '#accounts/oauth-consent/consent-actions.ts'
import { passwordResetEmail } from '#accounts/password-reset/password-reset.ts'
import { createProfileChangeJob } from '#accounts/profile/change-member-profile.ts'
import { confirmationEmail } from '#accounts/profile/confirm-email.ts'
import { securityEmail } from '#accounts/security-emails/security-email.ts'
import { createExportJob } from '#archive/export/export-jobs.ts'
import { createAuthenticator } from '#auth/authenticator.ts'
import { createAuthorizationServer } from '#auth/oauth/authorization-server.ts'
import { CONSENT_TTL_SECONDS } from '#auth/oauth/interactions.ts'
import { sessionCookieName } from '#auth/sessions/sessions.ts'
import { sendFirstConfirmationLink } from '#auth/users/email-confirmation.ts'
import { deriveSetupToken } from '#auth/workspaces/first-owner.ts'
import { createBackupMetrics, operatorEmailTemplate } from '#backup/scheduled/backup-records.ts'
import {
  createBackupJob,
  createBackupScheduler,
  type ScheduledBackupDeps,
} from '#backup/scheduled/run-backup.ts'
import type { Config } from '#config/config.ts'
import type { JobKind } from '#core/job.ts'
import type { Mailer } from '#core/mailer.ts'
import type { Route } from '#core/route.ts'
import type { SessionAction } from '#core/session-action.ts'
import type { Storage } from '#core/transaction.ts'
import { loadBacklog } from '#db/deliveries/delivery-queue.ts'
import { deriveSecretProof } from '#db/installation/open-store.ts'
import { createEncryptor, deriveKey } from '#db/installation/sealed-values.ts'
import type { Files } from '#files/files.ts'
import { openFiles } from '#files/open.ts'
import type { AppContext } from '#http/app-context.ts'
import { FeedStreams } from '#http/feed.ts'
import { loadPackages } from '#http/packages/package-files.ts'
import { TRANSFER_TIMEOUTS, type TransferTimeouts } from '#http/request/transfer-timeouts.ts'
import type { Logger } from '#http/server/log.ts'
import { createHealthServer, createHttpServer } from '#http/server/server.ts'
import { createUploadSlots, MAX_CONCURRENT_UPLOADS } from '#http/uploads/upload-handler.ts'
import { loadWebAppBuild } from '#http/web-app/web-app-build.ts'
import { createImportJob, createImportJobDeps } from '#importers/job/import-jobs.ts'
import { notificationEmailTemplate } from '#jobs/notification-emails.ts'
import { createEmailJob } from '#jobs/queue/email-job.ts'
import type { ScheduledJob } from '#jobs/scheduler.ts'
import { createPushJob } from '#push/push-job.ts'
import { openVapidKeys, type VapidKeys } from '#push/vapid.ts'
import { createMemoryCounter, type RateLimitCounter } from '#rate-limits/memory-counter.ts'
import {
  createAddressRateLimiter,
  createRateLimiter,
  createRequestUsage,
  createSessionRateLimiter,
  withUsageCount,
} from '#rate-limits/rate-limiter.ts'
import {
  createSharedCounter,
  createStoreClock,
  type StoreHealthListener,
} from '#rate-limits/shared-counter.ts'
import { activity } from '#resources/activity/index.ts'
import { apiKeys } from '#resources/api-keys/index.ts'
import { grants } from '#resources/applications/grants/index.ts'
import { applications } from '#resources/applications/index.ts'
import { attachments } from '#resources/attachments/index.ts'
import { audit } from '#resources/audit/index.ts'
import { changes } from '#resources/changes/operations.ts'
import { comments } from '#resources/comments/index.ts'
import { deliveries } from '#resources/deliveries/operations.ts'
import { events } from '#resources/events/index.ts'
import { exports } from '#resources/exports/index.ts'
import { imports } from '#resources/imports/index.ts'
import { invitations } from '#resources/invitations/index.ts'
import { me } from '#resources/me/index.ts'
import { members } from '#resources/members/index.ts'
import { notifications } from '#resources/notifications/index.ts'
import { EVENT_SCHEMAS } from '#resources/nouns.ts'
import { offboarding } from '#resources/offboarding/index.ts'
import { projects } from '#resources/projects/index.ts'
import { pushDevices } from '#resources/push-devices/index.ts'
import { sessions } from '#resources/sessions/index.ts'
import { tags } from '#resources/tags/index.ts'
import { tasks } from '#resources/tasks/index.ts'
import { templates } from '#resources/templates/index.ts'
import { timeEntries } from '#resources/time-entries/index.ts'
import { boot } from '#resources/web-app/boot/index.ts'
import { projectTasks } from '#resources/web-app/project-tasks/index.ts'
import { reports } from '#resources/web-app/reports/index.ts'
import { search } from '#resources/web-app/search/index.ts'
import { suggestions } from '#resources/web-app/suggestions/index.ts'
import { views } from '#resources/web-app/views/index.ts'
import { webhooks } from '#resources/webhooks/index.ts'
import { workspace } from '#resources/workspace/index.ts'
import { type DispatcherTiming, startDispatcher } from '#webhooks/dispatcher.ts'
import { openInstallationId } from '#webhooks/installation-id.ts'
import { createDeliveryMetrics } from '#webhooks/metrics.ts'
import { DELIVERY_RULES, type DeliveryRules } from '#webhooks/results.ts'
import type { WebhookRequest, WebhookSender } from '#webhooks/sender.ts'
import { startSendingSwitch } from '#webhooks/sending-switch.ts'
import type { ProcessRole } from './process-role.ts'

/** The job that makes backups, and the periodic one that enqueues it. */
interface BackupJobs {
  kinds: JobKind[]
  periodic: ScheduledJob[]
}

/** Creates the jobs and metrics of scheduled backups. Without a target there are none. */
export function createBackupJobs(
  { backup: settings, backupPassphrase: passphrase, operatorEmail, ...config }: Config,
  storage: Storage,
  secret: string,
  log: ScheduledBackupDeps['log'],
  registry: Registry,
  isCopy: () => Promise<boolean>,
): BackupJobs {
  if (!settings) return { kinds: [], periodic: [] }
  const { dataDir, databaseUrl, s3 } = config
  const onOutcome = createBackupMetrics(registry, storage, settings.schedule)
  const location = { dataDir, databaseUrl, bucket: s3 !== undefined }
  const deps = {
    storage,
    location,
    settings,
    secret,
    secretProof: deriveSecretProof(secret),
    passphrase,
    operatorEmail,
    isCopy,
    log,
    onOutcome,
  }
  return {
    kinds: [createBackupJob(deps)],
    periodic: settings.schedule ? [createBackupScheduler(storage, settings.schedule, isCopy)] : [],
  }
}

/** The kinds of jobs that send emails, most urgent first. */
export function createEmailJobs(
  mail: Mailer | undefined,
  baseUrl: string,
  operatorEmail?: string,
): JobKind[] {
  // Without a mail server, emails wait for a process that has one.
  if (!mail) return []
  const templates = [
    passwordResetEmail,
    confirmationEmail,
    securityEmail,
    invitationEmail,
    (url: string) => notificationEmailTemplate(url, sendFirstConfirmationLink),
  ]
  if (operatorEmail !== undefined) templates.push(operatorEmailTemplate(operatorEmail))
  return templates.map((template) => createEmailJob(mail, baseUrl, template(baseUrl)))
}

/** The kinds of jobs that finish what people did with their accounts. */
export const createAccountJobs = (storage: Storage): JobKind[] => [createProfileChangeJob(storage)]

/** What imports and exports need. */
interface TransferJobDeps {
  storage: Storage
  files: Files
  log: { error(about: object, message: string): void }
}

/** The kinds of jobs that import and export. */
export const createTransferJobs = ({ storage, files, log }: TransferJobDeps): JobKind[] => [
  createImportJob(createImportJobDeps({ storage, files })),
  createExportJob({ storage, files, log }),
]

/** The rate limit counters and their connection. */
interface RateLimitBackend {
  counter: RateLimitCounter
  /** The clock of the minutes that are counted, in milliseconds since 1970. */
  now: () => number
  /**
   * Resolves when the store is reached, or after a second: until then each process counts alone.
   */
  ready(): Promise<unknown>
  close(): Promise<void>
}

/**
 * Opens the counters of the rate limits (docs/spec/api.md#how-requests-are-counted): in PostgreSQL if
 * that is the database, because other processes may serve it too; else in the memory of this process.
 * `ownClock` counts until the time of PostgreSQL is known.
 */
export async function openRateLimitCounter(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  log: Logger,
  registry: Registry,
  ownClock: () => number = Date.now,
): Promise<RateLimitBackend> {
  if (!databaseUrl)
    return { counter: createMemoryCounter(), now: ownClock, ready: doNothing, close: doNothing }
  const { createRateWindows } = await import('#db/postgres/rate-windows.ts')
  const { now, follow } = createStoreClock(ownClock)
  const store = createRateWindows(databaseUrl, follow)
  const losses = new Metric({
    name: 'docket_limit_store_losses_total',
    help: 'How often the shared rate limit counters became unavailable',
    registers: [registry],
  })
  const health: StoreHealthListener = {
    onLost(err) {
      losses.inc()
      log.error({ err }, 'The store of the shared rate limits does not answer')
    },
    onRecovered: () => log.info({}, 'The store of the shared rate limits answers again'),
  }
  const counter = createSharedCounter(store, health)
  const ready = () =>
    Promise.race([store.ready(), pause(READY_TIMEOUT_MS, undefined, { ref: false })])
  return { counter, now, ready, close: () => store.close() }
}

const READY_TIMEOUT_MS = 1_000
const doNothing = async () => {}

/** Posts to receivers that people name, and to no address that the operator did not mean. */
function createOutboundSender({ settings }: Config, timeoutMs: number) {
  let sender: Promise<WebhookSender> | undefined

  /** Loads the HTTP client on first use: without webhooks it would only take memory. */
  async function open(): Promise<WebhookSender> {
    const { createWebhookSender } = await import('#webhooks/sender.ts')
    return createWebhookSender({
      targets: settings.webhookTargets,
      timeoutMs,
    })
  }

  return {
    async send(post: WebhookRequest) {
      sender ??= open().catch((error) => {
        // The next one tries to load it again.
        sender = undefined
        throw error
      })
      return (await sender).send(post)
    },
    close: async () => (await sender)?.close(),
  }
}

/** Push services answer at once; a host that hangs must not keep the others waiting. */
const PUSH_TIMEOUT_MS = 5_000

/** The job that sends notifications to devices, and what closes its connections. */
export function createPushJobs(
  config: Config,
  keys: VapidKeys,
  isCopy: () => Promise<boolean>,
): { kinds: JobKind[]; close(): Promise<void> } {
  const { send, close } = createOutboundSender(config, PUSH_TIMEOUT_MS)
  const { baseUrl } = config
  return { kinds: [createPushJob({ keys, baseUrl, send, isCopy })], close }
}

/** How long a receiver may take to answer an attempt. */
const ATTEMPT_TIMEOUT_MS = 10_000

/** What tests replace of the sending of webhooks. */
interface DeliveryOptions extends DispatcherTiming {
  rules?: DeliveryRules
  attemptTimeoutMs?: number
}

/** Starts sending webhooks, unless the database was copied from another installation. */
export async function startWebhookDelivery(
  storage: Storage,
  config: Config,
  secret: string,
  { log, load, registry }: AppContext,
  {
    rules = DELIVERY_RULES,
    attemptTimeoutMs = ATTEMPT_TIMEOUT_MS,
    ...timing
  }: DeliveryOptions = {},
): Promise<{ stop(): Promise<void> }> {
  const { dataDir } = config
  const { send, close } = createOutboundSender(config, attemptTimeoutMs)
  const deps = {
    storage,
    rules,
    log,
    load,
    send,
    decrypt: createEncryptor(secret).decrypt,
    observer: createDeliveryMetrics(registry, () => loadBacklog(storage)),
  }
  const sendingSwitch = await startSendingSwitch({
    installation: openInstallationId(storage, dataDir),
    start: () => startDispatcher(deps, timing),
    registry,
    log,
  })
  return {
    async stop() {
      await sendingSwitch.stop()
      await close()
    },
  }
}

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
  ...projectTasks,
  ...views,
  ...search,
  ...reports,
  ...tags,
  ...tasks,
  ...templates,
  ...activity,
  ...suggestions,
  ...notifications,
  ...pushDevices,
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

/** Failed authentications and starts of a sign-in of an IP address, counted in each process. */
const UNAUTHENTICATED_REQUESTS_PER_MINUTE = 600

/** Many people may share an IP address, and each may be sent here by several applications. */
const AUTHORIZATION_REQUEST_FACTOR = 10

interface AppOptions {
  /** Whether to shed load. Tests turn it off, because they share a machine with other work. */
  sheds?: boolean
  /**
   * The clock of the rate limits until the time of a shared store is known. It is the system time, also
   * if that is set back.
   */
  now?: () => number
  transferTimeouts?: TransferTimeouts
  /** Failed authentications and starts of a sign-in per minute of an IP address. */
  unauthenticatedLimit?: number
}

/** What tests replace of a server in a process of its own. */
export interface ServerOptions extends AppOptions, DeliveryOptions {
  /** For how long a start waits for a PostgreSQL that cannot be reached. */
  databaseWaitSeconds?: number
}

/** Creates the server with all its services. `secret` is the secret of the installation. */
export async function createApp(
  storage: Storage,
  config: Config,
  secret: string,
  log: Logger,
  { servesRequests }: Pick<ProcessRole, 'servesRequests'> = { servesRequests: true },
  {
    sheds = true,
    now = Date.now,
    transferTimeouts = TRANSFER_TIMEOUTS,
    unauthenticatedLimit = UNAUTHENTICATED_REQUESTS_PER_MINUTE,
  }: AppOptions = {},
) {
  const { baseUrl, loopback, limits, trustProxy, metricsToken, maxAttachmentBytes } = config
  const registry = new Registry()
  // Optional services are loaded only if they are configured, to keep the start fast.
  const mail = config.mail && (await import('#mail/smtp.ts')).openMail(config.mail)
  const company =
    config.sso && (await import('#sso/sso-provider.ts')).createSsoProvider(config.sso, baseUrl, log)
  const { signup, defaultPlan: plan } = config
  const deviceKey = deriveKey(secret, 'devices')
  const signInEncryptor = createEncryptor(deriveKey(secret, 'sign-in states').toString('base64url'))
  const usage = createRequestUsage()
  const vapidKeys = await openVapidKeys(storage)
  const rateLimits = await openRateLimitCounter(config, log, registry, now)
  const limit = withUsageCount(createRateLimiter(limits, rateLimits.counter, rateLimits.now), usage)
  const authenticator = createAuthenticator(storage, sessionCookieName(baseUrl))
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
    authenticator,
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
    limit,
    sessionLimit: createSessionRateLimiter(
      SESSION_REQUESTS_PER_MINUTE,
      rateLimits.counter,
      rateLimits.now,
    ),
    addressLimit: createAddressRateLimiter(unauthenticatedLimit, now),
    authorizationRequestLimit: createAddressRateLimiter(
      unauthenticatedLimit * AUTHORIZATION_REQUEST_FACTOR,
      now,
    ),
    anonymousAuthorizationLimit: createAddressRateLimiter(
      unauthenticatedLimit * AUTHORIZATION_REQUEST_FACTOR,
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
    packages: loadPackages(),
    files: openFiles(config),
    maxAttachmentBytes,
    transferTimeouts,
    uploadSlots: createUploadSlots(MAX_CONCURRENT_UPLOADS),
    feedStreams: new FeedStreams(registry, storage.commitListeners, () =>
      authenticator.loadRights(),
    ),
    registry,
    renderMetrics: () => registry.metrics(),
    load: { requests: 0 },
    shedsLoad: sheds,
    log,
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
  return { server, appContext, usage, mail, vapidKeys }
}
