import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './error-code.ts'
import type { Scope } from './scopes.ts'

/**
 * The kinds of actions that have limits of their own (docs/spec/api.md#limits-of-actions): what starts a session, creates an
 * account or a workspace, moves a session, changes what gives access, invites people, moves data in and out, or changes webhooks.
 * The pipeline counts them, except `sign_in`, which counts in the transaction that starts the session.
 */
const ACTION_LIMITS = [
  'sign_in',
  'sign_up',
  'switch',
  'access',
  'invitation',
  'transfer',
  'webhook',
] as const
export type ActionLimit = (typeof ACTION_LIMITS)[number]

export const isActionLimit = (limit: Endpoint['limit']): limit is ActionLimit =>
  ACTION_LIMITS.some((name) => name === limit)

/**
 * One endpoint of the API as a value. The server, the web app and the OpenAPI document all use it,
 * so that nothing about it is written down twice.
 */
export type Endpoint = ReadEndpointFields | WriteEndpointFields | OpenWriteEndpointFields

interface ReadEndpointFields extends EndpointFields {
  method: 'GET'
  /** Only a copy of everything does. */
  grantsLastingAccess?: true
}

interface WriteEndpointFields extends EndpointFields {
  method: WriteMethod
  scope: Scope | 'any' | 'session'
  grantsLastingAccess: LastingAccess
}

/** Without a credential nobody is asked who they are, so such an action itself must prevent it. */
interface OpenWriteEndpointFields extends EndpointFields {
  method: WriteMethod
  scope: 'open'
  grantsLastingAccess: Exclude<LastingAccess, true>
}

type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Whether what a write makes may still let somebody in, act or send data when the session has ended
 * and the password is another: a credential, a person who joins or rises, an address that gets
 * events, a copy of everything. A session that was left open must not suffice for it.
 * `true`: a session must have been confirmed within the last 15 minutes, by its sign-in or by
 * `POST /internal/session/confirmation`; else 403 `sign_in_again`. API keys and access tokens are
 * credentials of their own and are asked for nothing.
 * `checked_by_action`: that depends on the body, or the rule is stricter; the session action checks.
 */
type LastingAccess = boolean | 'checked_by_action'

interface EndpointFields extends EndpointDocs, EndpointAccess, EndpointRequest, EndpointResponse {
  method: 'GET' | WriteMethod
  path: `/${string}`
}

/** What the reference and generated clients say of it, beyond what follows from its schemas. */
interface EndpointDocs {
  /** The resource under which the reference lists it. */
  tag: string
  summary: string
  /** What it does beyond its summary, in Markdown. */
  description?: string
  /** Its name in the OpenAPI document, which generated clients use. Every public endpoint has one. */
  operationId?: string
  /** Which roles may call it, where a scope alone is not enough: a sentence for the reference. */
  roles?: string
  /** The codes of errors that do not follow from the rest of the endpoint, for the reference. */
  errors?: readonly ErrorCode[]
}

/** Who may call it, and how often. */
interface EndpointAccess {
  /**
   * The scope that the credential needs; only `/me` and `/changes` accept `any` credential. `session`: only a
   * session of the web app (docs/spec/api.md#internal-api-of-the-web-app). `open`: no credential.
   */
  scope: Scope | 'any' | 'session' | 'open'
  /**
   * The limit that a request counts against: of requests, that of the workspace (docs/spec/api.md#rate-limits), of the
   * person's sessions in it (docs/spec/api.md#internal-api-of-the-web-app), or without a session that of the address
   * (docs/spec/api.md#unauthenticated-requests); `none` for what is open and stores nothing. Endpoints that
   * write to the audit log or send emails have a limit of actions, beside that of requests.
   */
  limit: 'workspace' | 'session' | 'unauthenticated' | 'none' | ActionLimit
  grantsLastingAccess?: LastingAccess
  /** Owners may also call it in a deleted workspace, which rejects everything else. */
  allowsDeletedWorkspace?: true
  /** Also allowed for sessions that lack the second factor that their workspace requires. */
  allowsMissingSecondFactor?: true
}

/** What a request consists of. */
interface EndpointRequest {
  params?: TObject
  query?: TObject
  body?: TSchema
  /** An absent body and `null` equal `{}` (docs/spec/api.md#bodies-and-content-types). */
  bodyOptional?: boolean
  /**
   * The body is one file of any type instead of JSON (docs/spec/api.md#extensions); `body` describes the stored
   * file for the operation. Only an upload has a filename in its query.
   */
  upload?: true
  /** Accepts `?dry_run=true` (docs/spec/api.md#dry-run). */
  dryRun?: boolean
  /**
   * For endpoints of the web app: accepts an `Idempotency-Key`, as all writes of the public API do
   * (docs/spec/api.md#idempotency-key). What the app repeats after a lost reply needs it, so that it
   * creates nothing twice, and its own first attempt is not taken for somebody else's change.
   */
  takesIdempotencyKey?: true
  /**
   * Whether `If-None-Match` (GET) and `If-Match` are compared with the record's ETag or rejected;
   * without this they are ignored (docs/spec/api.md#conditional-requests).
   */
  conditions?: 'compared' | 'refused'
}

/** What it replies. */
interface EndpointResponse {
  /** If absent, the reply is an empty 204. */
  reply?: TSchema
  /** The status of the reply if it is neither 200 nor 204. */
  status?: 201 | 202
  /** The `Location` of the new record; `:id` is its id. Every public 201 has one. */
  location?: `/${string}`
  /** The reply contains a secret: it is neither compressed nor stored unencrypted. */
  hasSecretReply?: boolean
  /** The reply is the bytes of a file instead of JSON; `reply` describes the file. */
  download?: true
  /** The reply is CSV instead for clients that prefer `text/csv` to JSON. */
  csv?: true
  /** For downloads: the audit action of each download that sends bytes; its subject is `:id`. */
  auditAction?: 'export.downloaded'
  /**
   * The reply continues after `after`, waits `wait` seconds for more, and is a stream of server-sent
   * events with entries of this schema if the client prefers that.
   */
  feed?: TSchema
  /** The reply is lines of JSON: `reply` describes the first, and this schema most of those that follow. */
  lines?: TSchema
  /** A GET that may take tenths of a second, and runs apart from other reads. */
  isReport?: true
}

/** What a dry run has in place of a new secret. It looks like one, so that its type is the same. */
export const DRY_RUN_SECRET = 'whsec_dry_run'

type SchemaValue<S> = S extends TSchema ? Static<S> : undefined

export interface EndpointInput<E extends Endpoint> {
  params: SchemaValue<E['params']>
  query: SchemaValue<E['query']>
  body: SchemaValue<E['body']>
}

export type EndpointReply<E extends Endpoint> = SchemaValue<E['reply']>

/**
 * Keeps the literal types of an endpoint, against which operations and callers are type-checked.
 */
export const endpoint = <const E extends Endpoint>(value: E): E => value

export const successStatusOf = (endpoint: Endpoint): number =>
  endpoint.status ?? (endpoint.reply ? 200 : 204)
