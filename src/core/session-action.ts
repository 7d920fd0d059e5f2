import type { Endpoint, EndpointInput, EndpointReply } from '#wire/endpoint.ts'
import type { UserActor } from './actor.ts'
import type { PendingOutcome, PendingRequest } from './pending-request.ts'
import type { RequestInput } from './route.ts'
import type { SsoProvider } from './sso-provider.ts'
import type { Storage, WriteTx } from './transaction.ts'

/** The dependencies of a session action. */
export interface ActionDeps {
  storage: Storage
  /** Whether a mail server is configured, so that emails can be enqueued. */
  hasMail: boolean
  /** Undefined if no sign-in provider is configured. */
  ssoProvider: SsoProvider | undefined
  /** Origin of all links. Never taken from a request, whose `Host` header can be forged. */
  baseUrl: string
  /** Who may sign up after the first account: anybody, or invited people only. */
  signup: 'open' | 'invite'
  /**
   * What the first owner has to enter: always, or only if the request may come from another machine.
   * Undefined if anybody may sign up.
   */
  setupToken: { token: string; isAlwaysRequired: boolean } | undefined
  /** Signs the cookies that identify a browser across sign-ins. */
  deviceKey: Buffer
  /** Encrypts the state of a sign-in that its browser keeps in a cookie. `decrypt` may throw. */
  signInEncryptor: {
    encrypt(text: string, context: string): string
    decrypt(encrypted: string, context: string): string
  }
  /**
   * Runs a request that has waited for a person, in a transaction of the actor that has sent it. Throws what the
   * request would be answered by now if it is refused.
   */
  runPending(tx: WriteTx, pending: PendingRequest): Promise<PendingOutcome>
  /** Whether an endpoint, as in `PendingRequest`, grants lasting access. */
  grantsLastingAccess(endpoint: string): boolean
  /** Receives errors that occur after the reply was sent. */
  log: { error(about: object, message: string): void }
}

interface RequestOrigin {
  /** The `Cookie` header. */
  cookie: string | undefined
  /** The IP address of the client, and its `User-Agent` header. */
  address: string
  agent: string
  /** The `Idempotency-Key` header, if the endpoint takes one. */
  idempotencyKey: string | undefined
  /** Whether it was sent by a program on the machine of the server, and passed no proxy. */
  isLocal: boolean
}

/** The request. With scope `open`, `actor` is set only if the request carries a session. */
export interface ActionContext<E extends Endpoint> extends EndpointInput<E>, RequestOrigin {
  actor: E['scope'] extends 'session' ? UserActor : UserActor | undefined
}

/** The request as the pipeline parsed it, with the endpoint's schemas; `body` at first is JSON. */
export interface ActionRequest extends RequestInput, RequestOrigin {
  actor: UserActor | undefined
}

/** The reply, and the values of the `Set-Cookie` headers to send. */
export interface ActionResult<Reply> {
  reply: Reply
  cookies?: readonly string[]
  /** Set if the action changed a record: the operation id that its events carry. */
  operation_id?: string
}

export interface SessionAction {
  endpoint: Endpoint
  handle: (deps: ActionDeps, request: ActionRequest) => Promise<ActionResult<unknown>>
  authorize: (deps: ActionDeps, request: ActionRequest) => Promise<void>
  allowsAnyOrigin: boolean
}

interface SessionActionOptions<E extends Endpoint> {
  /** Rejects the request (404, 403) before the body is validated; `body` is unvalidated JSON. */
  authorize?: (
    deps: ActionDeps,
    context: Omit<ActionContext<E>, 'body'> & { body: unknown },
  ) => Promise<void>
  /** Allows requests of other origins: only for actions that neither grant nor change anything. */
  allowsAnyOrigin?: boolean
}

/**
 * Defines an endpoint of the web app that does not fit into one transaction: it hashes a password,
 * sets cookies, sends an email, or needs no credential (`scope: 'open'`). It opens its transactions
 * itself; everything before and after is the same as for a route. Throws if the endpoint is
 * incomplete.
 */
export const sessionAction = <E extends Endpoint>(
  endpoint: E,
  open: (deps: ActionDeps, context: ActionContext<E>) => Promise<ActionResult<EndpointReply<E>>>,
  { authorize, allowsAnyOrigin = false }: SessionActionOptions<E> = {},
): SessionAction => {
  const missing = findMissingPart(endpoint)
  if (missing) throw new Error(`${endpoint.method} ${endpoint.path} does not say ${missing}`)
  return {
    endpoint,
    handle: (deps, request) => open(deps, asContextOf<E>(request)),
    authorize: async (deps, request) => authorize?.(deps, asContextOf<E>(request)),
    allowsAnyOrigin,
  }
}

/**
 * Gives a request the types of the endpoint whose schemas have accepted it, and whose scope decided
 * on its actor: the one cast between a request and a session action.
 */
const asContextOf = <E extends Endpoint>(request: ActionRequest) => request as ActionContext<E>

function findMissingPart({
  method,
  path,
  scope,
  limit,
  params,
  body,
  grantsLastingAccess,
}: Endpoint): string | undefined {
  if (!path.startsWith('/internal/')) return 'that it is for the web app'
  if (scope !== 'open' && scope !== 'session') return 'who may use it'
  if (limit === 'workspace' || limit === (scope === 'open' ? 'session' : 'none'))
    return 'which budget it spends'
  // What has a body hashes a password, sends an email or writes to the audit log.
  if (body && limit === (scope === 'open' ? 'none' : 'session')) return 'how often it may be used'
  if (path.includes(':') && !params) return 'what is in its path'
  if ((method === 'POST' || method === 'PATCH') && !body) return 'what is in its body'
  if (method !== 'GET' && grantsLastingAccess === undefined)
    return 'whether it grants lasting access'
  return undefined
}
