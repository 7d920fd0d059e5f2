import type { Json } from '#lib/json.ts'
import type { Endpoint, Input, Reply } from '#wire/endpoint.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { Page } from './page.ts'
import type { ReadTx, WriteTx } from './tx.ts'

/** A record as its store selects it for a reply: its JSON and what its ETag and address need. */
export interface Found<T> {
  id: string
  json: Json<T>
  /** `version` of a task, `updated_at` of every other record. */
  revision: number | string
}

type Tx<E extends Endpoint> = E['method'] extends 'GET' ? ReadTx : WriteTx
type Result<E extends Endpoint> = Reply<E> | Json<Reply<E>> | Found<Reply<E>>

/** What an operation is handed: input that fits the contract and, for lists, the page asked for. */
export interface Asked<E extends Endpoint> extends Input<E> {
  page: Page
}

/** What is known before the body is read: it may be malformed, so that a 404 comes before a 422. */
export interface Addressed<E extends Endpoint> {
  params: Input<E>['params']
  query: Input<E>['query']
  body: unknown
}

/** Finds the record that the URL names, if the actor may see it (404) and do this to it (403). */
export type Subject<E extends Endpoint, S> = (tx: Tx<E>, asked: Addressed<E>) => Promise<S>

/** What an endpoint does. A GET is handed a transaction that cannot write: the types forbid it. */
export type Operation<E extends Endpoint, S = undefined> = (
  tx: Tx<E>,
  subject: S,
  asked: Asked<E>,
) => Promise<Result<E>>

export interface Route {
  endpoint: Endpoint
  subject: (
    tx: WriteTx,
    asked: Addressed<Endpoint>,
  ) => Promise<{ revision?: number | string } | undefined>
  operation: (
    tx: WriteTx,
    subject: unknown,
    asked: Asked<Endpoint>,
  ) => Promise<undefined | string | object>
  room?: (tx: ReadTx, subject: unknown) => Promise<number>
}

/**
 * Of an upload: refuses what would be refused whatever came, before the megabytes come, and tells
 * how many bytes there is room for. The operation looks again.
 */
export type Room<S> = (tx: ReadTx, subject: S) => Promise<number>

/**
 * A route is a triple: what may be asked, how its subject is found and who may, what is done; an
 * upload also says what there is room for. One that does not say all of it does not load.
 */
export const route = <E extends Endpoint, S>(
  endpoint: E,
  subject: Subject<E, S>,
  operation: Operation<E, S>,
  room?: Room<S>,
): Route => {
  const lack = endpoint.upload && !room ? 'how much it takes' : lackOf(endpoint, subject)
  if (lack) throw new Error(`${endpoint.method} ${endpoint.path} does not say ${lack}`)
  return {
    endpoint,
    subject: subject as Route['subject'],
    operation: operation as Route['operation'],
    ...(room && { room: room as NonNullable<Route['room']> }),
  }
}

/** Types ask for most of this; but types can be silenced, and an open door is not seen. */
function lackOf(endpoint: Endpoint, subject: unknown): string | undefined {
  const { method, path, scope, limit, params, body, reply, status } = endpoint
  if (!isScoped(path, scope)) return 'which scope it needs'
  if (typeof subject !== 'function') return 'who may use it'
  if (limit !== (scope === 'session' ? 'session' : 'workspace')) return 'which budget it spends'
  if (path.includes(':') && !params) return 'what is in its path'
  if ((method === 'POST' || method === 'PATCH') && !body) return 'what is in its body'
  if (method !== 'DELETE' && method !== 'PUT' && !reply) return 'what it replies'
  if (status === 201 && !endpoint.location && scope !== 'session')
    return 'where the record is that it makes'
  return undefined
}

/** What is only for the web app is under /internal, and nothing else is (contract 9). */
function isScoped(path: string, scope: Endpoint['scope']): boolean {
  if (path.startsWith('/internal/')) return scope === 'session'
  if (scope === 'any') return path === '/api/v1/me'
  return scope !== 'session' && scope !== 'open' && SCOPES.includes(scope)
}

/** The subject of an endpoint whose URL names no record and which every role may use. */
export const anyone = async (): Promise<undefined> => undefined
