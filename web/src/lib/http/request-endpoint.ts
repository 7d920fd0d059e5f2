import type { Static, TSchema } from 'typebox'
import type { Endpoint, EndpointReply } from '#wire/endpoint.ts'
import { fetchOrThrow, readTextOrThrow } from './fetch-or-throw.ts'
import { fetchWithCache } from './fetch-with-cache.ts'
import { askForConfirmation, getPageSessionHeaders, pauseIfSessionChanged } from './page-session.ts'
import {
  ApiResponseError,
  findRemedy,
  NetworkError,
  type ProblemBody,
  type RefusedRequest,
  SessionMismatchError,
} from './problem.ts'
import { noteOperations } from './request-operations.ts'
import {
  holdReadsDuring,
  pauseForRateLimit,
  sessionPause,
  waitForRateLimitPause,
  waitForSessionPause,
} from './request-pause.ts'
import { markSessionEnded } from './session-ended.ts'

type RequiredPart<N extends string, S> = S extends TSchema ? { [K in N]: Static<S> } : object
type OptionalQuery<S> = S extends TSchema ? { query?: Static<S> } : object
type DryRunQuery<D> = D extends true ? { query?: { dry_run?: boolean } } : object

/** The input of an endpoint: `params` and `body` if it has them, and an optional `query`, also for a dry run. */
export type CallInput<E extends Endpoint> = RequiredPart<'params', E['params']> &
  RequiredPart<'body', E['body']> &
  OptionalQuery<E['query']> &
  DryRunQuery<E['dryRun']>

/** Method and path of an endpoint, checked against the endpoint that the server serves. */
export type EndpointAddress<E extends Endpoint> = `${E['method']} ${E['path']}`

export interface CallOptions {
  /** One key per intended write: repeated with the same key, it is applied once (docs/spec/api.md#idempotency-key). */
  idempotencyKey?: string
  /** The server answers 412 if the record has another version by now. */
  ifMatch?: number | string
  signal?: AbortSignal
  /** Sends the request even while the page unloads. */
  keepalive?: boolean
}

export interface CallResult<T> {
  body: T
  /** Set after a write that has changed something. */
  operation_id: string | undefined
  /** Whether it repeats the reply to an earlier request, since which the record may have changed. */
  isReplayed: boolean
  /**
   * The number of a change up to which the reply contains all (docs/spec/api.md#change-numbers). A
   * repeated reply and one from the offline cache have none.
   */
  changeNumber: number | undefined
}

/**
 * Calls an endpoint by method and path. The type argument is its contract, e.g. `<typeof getTask>`.
 * Only types are imported from the server's contract.ts, so it costs the browser nothing. Throws one error for
 * an error reply of the API, and another if no reply comes (see `problem.ts`).
 */
export async function requestEndpoint<E extends Endpoint>(
  address: EndpointAddress<E>,
  sent: CallInput<E>,
  options: CallOptions = {},
): Promise<EndpointReply<E>> {
  return (await requestEndpointForResult<E>(address, sent, options)).body
}

/**
 * Calls an endpoint and also returns the operation id from the headers of the reply. What outlives
 * the session is asked for again once the person has confirmed the session by the password.
 */
export async function requestEndpointForResult<E extends Endpoint>(
  address: EndpointAddress<E>,
  sent: CallInput<E>,
  options: CallOptions = {},
): Promise<CallResult<EndpointReply<E>>> {
  try {
    return await send<E>(address, sent, options)
  } catch (error) {
    const isUnconfirmed = error instanceof ApiResponseError && error.code === 'sign_in_again'
    const canConfirm = isUnconfirmed && !address.endsWith(CONFIRMATION_PATH)
    if (!canConfirm || !(await askForConfirmation())) throw error
    return send<E>(address, sent, options)
  }
}

async function send<E extends Endpoint>(
  address: EndpointAddress<E>,
  sent: CallInput<E>,
  { idempotencyKey, ifMatch, signal, keepalive }: CallOptions,
): Promise<CallResult<EndpointReply<E>>> {
  const [method = 'GET', path = ''] = address.split(' ')
  const { params, query, body } = sent as LooseInput
  if (method !== 'GET' && sessionPause.get() && path !== SESSION_PATH)
    throw new SessionMismatchError()
  const request = (method === 'GET' ? read : fetchOrThrow)(buildUrl(path, params, query), {
    method,
    credentials: 'same-origin',
    headers: {
      ...(path !== SESSION_PATH && getPageSessionHeaders()),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(keepalive && { keepalive }),
  })
  const mayRenewSession = method === 'PATCH' && path === ACCOUNT_PATH
  const response = await (mayRenewSession ? holdReadsDuring(request) : request)
  if (!response.ok) {
    const repeat = () =>
      send<E>(address, sent, {
        ...(idempotencyKey !== undefined && { idempotencyKey: crypto.randomUUID() }),
        // Others may have changed the record since it was refused.
        ...(ifMatch !== undefined && { ifMatch }),
      })
    throw await readErrorResponse(response, { params, body, repeat })
  }
  const text = await readTextOrThrow(response, signal)
  const operation_id = response.headers.get('x-operation-id') ?? undefined
  if (idempotencyKey && operation_id) noteOperations(idempotencyKey, [operation_id])
  return {
    body: (text === '' ? undefined : parseReply(text)) as EndpointReply<E>,
    operation_id,
    isReplayed: response.headers.has('idempotency-replayed'),
    changeNumber: readChangeNumber(response),
  }
}

/** The number of a change up to which a reply contains all; undefined if it does not tell. */
export function readChangeNumber({ headers }: Response): number | undefined {
  const text = headers.get('x-change-number')
  return text === null ? undefined : Number(text)
}

/**
 * Fetches a GET in the page's session. If the browser's session has changed, the reply is dropped,
 * and the GET repeated once the sessions match again.
 */
async function read(url: string, init: RequestInit): Promise<Response> {
  const wait = url.startsWith('/api/') ? waitForRateLimitPause : waitForSessionPause
  for (;;) {
    await wait(init.signal ?? undefined)
    const response = await fetchWithCache(url, init)
    // This pauses requests if the reply says that the session has changed.
    if (response.status === 409) await readErrorResponse(response.clone())
    if (!sessionPause.get()) return response
    // An unread body would keep its connection from being used again.
    await readTextOrThrow(response, init.signal ?? undefined)
  }
}

/** Writes to this path change the session, so they are allowed while it does not match the page. */
const SESSION_PATH = '/internal/session'

/** Refuses with the same error as what it would confirm, if the password does not suffice. */
const CONFIRMATION_PATH = '/internal/session/confirmation'

/** A new password ends all sessions and starts a new one. */
const ACCOUNT_PATH = '/internal/account'

interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** The URL of a request; lists in the query are joined by commas (docs/spec/api.md#query-parameters). */
function buildUrl(
  path: string,
  params: LooseInput['params'] = {},
  query: LooseInput['query'] = {},
): string {
  const resolvedPath = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  return search.size > 0 ? `${resolvedPath}?${search}` : resolvedPath
}

/** A reply that is no JSON is the page of a proxy, so the server may not have seen the request. */
export function parseReply(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new NetworkError(error)
  }
}

/** The error of an error reply. A page of a proxy in place of the API's JSON counts as no reply. */
export async function readErrorResponse(
  response: Response,
  request?: RefusedRequest,
): Promise<Error> {
  const text = await response.text().catch(() => '')
  const body = parseErrorBody(text)
  if (!body) return new NetworkError(`${response.status} without an error of ours`)
  const words = await import('./problem-words.ts').catch(() => undefined)
  const error = words?.toPersonWords(body) ?? body
  if (pauseIfSessionChanged(error)) return new SessionMismatchError()
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const problem = new ApiResponseError(
    response.status,
    error,
    Number.isNaN(retryAfter) ? undefined : retryAfter,
  )
  // Other 429 replies, for example to sign-in attempts, do not concern requests to the API.
  if (problem.status === 429 && response.headers.has('x-ratelimit-limit'))
    pauseForRateLimit(problem.retryAfter ?? 1)
  if (problem.code === 'authentication_required') markSessionEnded()
  if (problem.code === 'second_factor_missing' && problem.status === 403) return goToSecondFactor()
  problem.request = request
  problem.remedy = await findRemedy(problem).catch(() => undefined)
  return problem
}

/** Goes to the page that sets up a second factor. Pending mutations are sent after the return. */
function goToSecondFactor(): Promise<never> {
  const { pathname, search } = location
  location.assign(`/second-factor?next=${encodeURIComponent(pathname + search)}`)
  return new Promise(() => undefined)
}

function parseErrorBody(text: string): ProblemBody | undefined {
  try {
    return (JSON.parse(text) as { error?: ProblemBody }).error
  } catch {
    return undefined
  }
}
