import type { Json } from '#lib/json.ts'
import type { Endpoint, Input, Reply } from '#wire/endpoint.ts'
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
}

/** A route is a triple: what may be asked, how its subject is found and who may, what is done. */
export const route = <E extends Endpoint, S>(
  endpoint: E,
  subject: Subject<E, S>,
  operation: Operation<E, S>,
): Route => {
  if (endpoint.status === 201 && !('location' in endpoint)) {
    throw new Error(
      `${endpoint.method} ${endpoint.path} makes a record and does not say where it is`,
    )
  }
  return {
    endpoint,
    subject: subject as Route['subject'],
    operation: operation as Route['operation'],
  }
}

/** The subject of an endpoint whose URL names no record and which every role may use. */
export const anyone = async (): Promise<undefined> => undefined
