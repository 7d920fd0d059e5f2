import { setTimeout as pause } from 'node:timers/promises'
import { Counter as Metric, type Registry } from 'prom-client'
import { createAuthenticator } from '#auth/authenticator.ts'
import { createAuthorizationServer } from '#auth/oauth/authorization-server.ts'
import { CONSENT_TTL_SECONDS } from '#auth/oauth/interactions.ts'
import { sessionCookieName } from '#auth/sessions/sessions.ts'
import { deriveSetupToken } from '#auth/workspaces/first-owner.ts'
import type { Config } from '#config/config.ts'
import type { Storage } from '#core/transaction.ts'
import { createEncryptor, deriveKey } from '#db/installation/sealed-values.ts'
import { openFiles } from '#files/open.ts'
import type { AppContext } from '#http/app-context.ts'
import { FeedStreams } from '#http/feed.ts'
import { TRANSFER_TIMEOUTS, type TransferTimeouts } from '#http/request/transfer-timeouts.ts'
import type { Logger } from '#http/server/log.ts'
import { createUploadSlots, MAX_CONCURRENT_UPLOADS } from '#http/uploads/upload-handler.ts'
import { openVapidKeys } from '#push/vapid.ts'
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

import type { FetchDocument } from '#webhooks/fetch-document.ts'

/** The limit of a person's sessions in a workspace for endpoints of the web app (docs/spec/api.md#internal-api-of-the-web-app). */
const SESSION_REQUESTS_PER_MINUTE = 600

/** Failed authentications and starts of a sign-in of an IP address, counted in each process. */
const UNAUTHENTICATED_REQUESTS_PER_MINUTE = 600

/** Many people may share an IP address, and each may be sent here by several applications. */
const AUTHORIZATION_REQUEST_FACTOR = 10

/** What tests replace of the services. */
export interface ServiceOptions {
  /**
   * The clock of the rate limits until the time of a shared store is known. It is the system time, also
   * if that is set back.
   */
  now?: () => number
  transferTimeouts?: TransferTimeouts
  /** Failed authentications and starts of a sign-in per minute of an IP address. */
  unauthenticatedLimit?: number
}

/**
 * Opens what handlers of requests use, beside what the server itself is made of. `secret` is the secret of
 * the installation.
 */
export async function openServices(
  storage: Storage,
  config: Config,
  secret: string,
  log: Logger,
  registry: Registry,
  {
    now = Date.now,
    transferTimeouts = TRANSFER_TIMEOUTS,
    unauthenticatedLimit = UNAUTHENTICATED_REQUESTS_PER_MINUTE,
  }: ServiceOptions = {},
) {
  const { baseUrl, accounts, settings } = config
  // Optional services are loaded only if they are configured, to keep the start fast.
  const mail = config.mail && (await import('#mail/smtp.ts')).openMail(config.mail)
  const ssoProvider =
    config.sso && (await import('#sso/sso-provider.ts')).createSsoProvider(config.sso, baseUrl, log)
  const usage = createRequestUsage()
  const vapidKeys = await openVapidKeys(storage)
  const rateLimits = await openRateLimitCounter(config, log, registry, now)
  let documentFetcher: FetchDocument | undefined
  const authenticator = createAuthenticator(storage, sessionCookieName(baseUrl))
  return {
    rateLimits,
    usage,
    mail,
    vapidKeys,
    context: {
      storage,
      authenticator,
      actionDeps: {
        storage,
        hasMail: mail !== undefined,
        ssoProvider,
        baseUrl,
        signup: accounts.signup,
        log,
        deviceKey: deriveKey(secret, 'devices'),
        signInEncryptor: createEncryptor(deriveKey(secret, 'sign-in states').toString('base64url')),
        setupToken:
          accounts.signup === 'open'
            ? undefined
            : { token: deriveSetupToken(secret), isAlwaysRequired: accounts.requiresSetupToken },
      },
      oauth: {
        server: createAuthorizationServer({
          storage,
          baseUrl,
          keys: {
            cookies: deriveKey(secret, 'oauth cookies'),
            signing: deriveKey(secret, 'oauth signing'),
            refreshTokens: deriveKey(secret, 'oauth refresh tokens'),
          },
        }),
        allowsRegistration: accounts.oauthRegistration,
        async fetchDocument(url: string) {
          const { createDocumentFetcher } = await import('#webhooks/fetch-document.ts')
          documentFetcher ??= createDocumentFetcher(settings.webhookTargets)
          return documentFetcher(url)
        },
      },
      limits: createRequestLimits(),
      cursorSecret: deriveKey(secret, 'cursors').toString('base64url'),
      files: openFiles(config),
      transfers: {
        maxAttachmentBytes: settings.web.max_attachment_bytes,
        uploadSlots: createUploadSlots(MAX_CONCURRENT_UPLOADS),
        timeouts: transferTimeouts,
      },
      feedStreams: new FeedStreams(registry, storage.commitListeners, () =>
        authenticator.loadRights(),
      ),
    },
  }

  function createRequestLimits(): AppContext['limits'] {
    const { counter, now: countedNow } = rateLimits
    const authorizations = unauthenticatedLimit * AUTHORIZATION_REQUEST_FACTOR
    return {
      workspace: withUsageCount(
        createRateLimiter(settings.requestsPerMinute, counter, countedNow),
        usage,
      ),
      session: createSessionRateLimiter(SESSION_REQUESTS_PER_MINUTE, counter, countedNow),
      address: createAddressRateLimiter(unauthenticatedLimit, now),
      authorizationRequests: createAddressRateLimiter(authorizations, now),
      anonymousAuthorizations: createAddressRateLimiter(authorizations, now, {
        windowMs: CONSENT_TTL_SECONDS * 1_000,
      }),
    }
  }
}

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
