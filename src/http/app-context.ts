import type { OutgoingHttpHeaders } from 'node:http'
import type { Registry } from 'prom-client'
import type { Authenticator } from '#auth/authenticator.ts'
import type { AuthorizationServer } from '#auth/oauth/authorization-server.ts'
import type { UserActor } from '#core/actor.ts'
import type { ActionDeps } from '#core/session-action.ts'
import type { Storage } from '#core/transaction.ts'
import type { Files } from '#files/files.ts'
import type {
  AddressRateLimiter,
  RateLimiter,
  SessionRateLimiter,
} from '#rate-limits/rate-limiter.ts'
import type { FeedStreams } from './feed.ts'
import type { EventSchemas } from './openapi/openapi-document.ts'
import type { PackageFile } from './packages/package-files.ts'
import type { UnsentReplies } from './reply/unsent-replies.ts'
import type { TransferTimeouts } from './request/transfer-timeouts.ts'
import type { Logger } from './server/log.ts'
import type { UploadSlots } from './uploads/upload-handler.ts'
import type { WebAppBuild } from './web-app/web-app-build.ts'

/** The services and settings of one process that handlers of requests use. */
export interface AppContext {
  storage: Storage
  /** Dependencies of the session actions. */
  actionDeps: ActionDeps
  authenticator: Authenticator
  /** For applications of third parties (docs/spec/api.md#oauth). */
  oauth: OAuthService
  limits: RequestLimiters
  /** Origin of all absolute URLs, without a trailing slash. */
  baseUrl: string
  network: ClientNetwork
  /** Signs list cursors. */
  cursorSecret: string
  /** Storage of attachments. */
  files: Files
  transfers: TransferLimits
  pages: BuiltPages
  /** The streams of feeds of this process, and requests that wait for one. */
  feedStreams: FeedStreams
  metrics: Metrics
  /** Number of requests in flight, and whether requests are refused with 503 while the event loop lags. */
  load: { requests: number; isShed: boolean }
  lifecycle: Lifecycle
  log: Logger
}

interface OAuthService {
  server: AuthorizationServer
  /** Whether applications may register themselves. */
  allowsRegistration: boolean
  /** Reads the JSON that a client says of itself; undefined if that is not possible. */
  fetchDocument: (url: string) => Promise<unknown>
}

/** How often something may be asked for. Each throws 429 beyond it. */
interface RequestLimiters {
  /** Of the API keys and applications of a workspace. */
  workspace: RateLimiter
  /** Of the sessions of a person in a workspace. */
  session: SessionRateLimiter
  /** Of an address without a valid credential. */
  address: AddressRateLimiter
  /** Of an address, for authorization requests, each of which is stored until decided or for half an hour. */
  authorizationRequests: AddressRateLimiter
  /** For those of half an hour that come without a session, and so for how many of them are stored. */
  anonymousAuthorizations: AddressRateLimiter
}

/** Where clients come from. */
export interface ClientNetwork {
  /** Whether base URL and listener are both loopback, so that any other Host is rejected. */
  loopbackOnly: boolean
  /** Number of proxies whose X-Forwarded-For is trusted. */
  trustProxy: number
  /** Whether the log has the addresses of clients. */
  logAddresses: boolean
}

/** What uploads and slow clients may take. */
export interface TransferLimits {
  maxAttachmentBytes: number
  /** The uploads of this process, of attachments and of imports. */
  uploadSlots: UploadSlots
  /** How long uploads may take, and how fast clients must send them and read replies. */
  timeouts: TransferTimeouts
}

/** What the pages of the web app and of the docs are made of. */
interface BuiltPages {
  /** Undefined if the web app was not built before the start. */
  webApp: WebAppBuild | undefined
  /** The packages for other programs; none if they were not built before the start. */
  packages: readonly PackageFile[]
  /** The events that webhooks send, for the OpenAPI document. */
  eventSchemas: EventSchemas
}

/** Prometheus metrics. */
export interface Metrics {
  /** Those of this process. */
  registry: Registry
  /** Renders the metrics as text: of all processes where several share the port. */
  render: () => Promise<string>
  /** Lets other machines read them. */
  token: string | undefined
}

/** Beginning and end of the process. During both /readyz replies 503. */
interface Lifecycle {
  isStarting: boolean
  /** While true, replies close their connection. */
  isDraining: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: UserActor | null
    /** Headers that every reply to this request carries, including error replies. */
    replyHeaders: Record<string, string>
    /** All headers of its reply, once that is sent; undefined for downloads and streams. */
    sentHeaders: OutgoingHttpHeaders | undefined
    /** The code of its error reply. */
    errorCode: string | undefined
    /** `performance.now()` at arrival. */
    arrivedAt: number
    /** `performance.now()` when its transaction began, and when that ended. */
    databaseTimes: { began: number; ended: number } | undefined
    /** Whether the reply has become a stream of events. */
    isEventStream: boolean
    /** Those of its server. */
    unsentReplies: UnsentReplies
    /** What `unsentReplies` has counted of its reply, and for whom. */
    unsent: { readonly owner: string; readonly bytes: number } | undefined
  }
}
