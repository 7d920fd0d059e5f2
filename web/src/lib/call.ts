import type { Static, TSchema } from 'typebox'
import type { Endpoint, Reply } from '#wire/endpoint.ts'
import { noteLimit, pauseOver, readsHeld, released } from './pause.ts'
import { Problem, type Refusal, Unreachable, Withheld } from './problem.ts'
import { reach } from './reach.ts'
import { read } from './read.ts'
import { signedOut } from './signed-out.ts'

type Part<N extends string, S> = S extends TSchema ? { [K in N]: Static<S> } : object
type QueryPart<S> = S extends TSchema ? { query?: Static<S> } : object

/** What an endpoint takes: `params` and `body` where it has them, `query` if wanted. */
export type Sent<E extends Endpoint> = Part<'params', E['params']> &
  Part<'body', E['body']> &
  QueryPart<E['query']>

/** An endpoint as it is written: checked against the value that the server serves. */
export type Address<E extends Endpoint> = `${E['method']} ${E['path']}`

export interface Options {
  /** One for an intention: sent again with it, a write happens once (contract 1.9). */
  idempotencyKey?: string
  /** Refused with 412 if the record has another version by now. */
  ifMatch?: number | string
  signal?: AbortSignal
  /** Goes out even if the page is being left. */
  keepalive?: boolean
}

export interface Answered<T> {
  body: T
  /** Of a write that changed something. */
  operation_id: string | undefined
}

/**
 * Calls an endpoint by its address, e.g. `call<typeof getTask>('GET /api/v1/tasks/:id', { params: { id } })`.
 * Only types are imported from the contract, so it costs the browser nothing. Throws `Problem` for a
 * refusal and `Unreachable` without a reply.
 */
export async function call<E extends Endpoint>(
  address: Address<E>,
  sent: Sent<E>,
  options: Options = {},
): Promise<Reply<E>> {
  return (await answered<E>(address, sent, options)).body
}

/** The same, with what the headers of the reply tell. */
export async function answered<E extends Endpoint>(
  address: Address<E>,
  sent: Sent<E>,
  { idempotencyKey, ifMatch, signal, keepalive }: Options = {},
): Promise<Answered<Reply<E>>> {
  const [method = 'GET', path = ''] = address.split(' ')
  const { params, query, body } = sent as Loose
  if (method === 'GET') await (path.startsWith('/api/') ? pauseOver(signal) : released(signal))
  else if (readsHeld.get() && path !== SESSION) throw new Withheld()
  const response = await (method === 'GET' ? read : reach)(urlOf(path, params, query), {
    method,
    credentials: 'same-origin',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(keepalive && { keepalive }),
  })
  if (!response.ok) throw await refusalOf(response)
  const text = await response.text()
  return {
    body: (text === '' ? undefined : JSON.parse(text)) as Reply<E>,
    operation_id: response.headers.get('x-operation-id') ?? undefined,
  }
}

/** Signing in and out is what changes the session. */
const SESSION = '/internal/session'

interface Loose {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** The address with its parameters in place; lists are joined by commas (contract 1.6). */
function urlOf(path: string, params: Loose['params'] = {}, query: Loose['query'] = {}): string {
  const place = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  return search.size > 0 ? `${place}?${search}` : place
}

/** What a refusing reply says; a proxy's page in place of ours counts as no answer. */
export async function refusalOf(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '')
  const error = parsed(text)
  if (!error) return new Unreachable(`${response.status} without an error of ours`)
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  const problem = new Problem(response.status, error, Number.isNaN(after) ? undefined : after)
  if (problem.code === 'rate_limit_exceeded') noteLimit(problem.retryAfter ?? 1)
  if (problem.code === 'authentication_required') signedOut()
  if (problem.code === 'second_factor_missing' && problem.status === 403) return leave()
  return problem
}

/** To where a second factor is set up; what waits for this answer is sent when the person has come back. */
function leave(): Promise<never> {
  const { pathname, search } = location
  location.assign(`/second-factor?next=${encodeURIComponent(pathname + search)}`)
  return new Promise(() => undefined)
}

function parsed(text: string): Refusal | undefined {
  try {
    return (JSON.parse(text) as { error?: Refusal }).error
  } catch {
    return undefined
  }
}
