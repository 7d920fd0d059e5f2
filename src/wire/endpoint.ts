import type { Static, TSchema } from 'typebox'
import type { Scope } from './scopes.ts'

/**
 * One URL of the API as a value. The server serves it, the web app calls it, OpenAPI prints it:
 * nothing about the URL is written down a second time.
 */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: `/${string}`
  /**
   * The scope that the credential needs; `any` credential will do for `/me` alone. `session`: a
   * session of the web app, and no other credential (contract 9). `open`: none at all.
   */
  scope: Scope | 'any' | 'session' | 'open'
  /**
   * Which budget of the minute a request spends: the workspace's (contract 5), or the session's (9).
   * What is open has none, but counts failures.
   */
  limit: 'workspace' | 'session' | 'none'
  /** The resource it belongs to, by which the reference groups it. */
  tag: string
  summary: string
  description?: string
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** An absent body equals `{}` (contract 1.2). */
  bodyOptional?: boolean
  /** Absent: the reply is 204 and empty. */
  reply?: TSchema
  /** Status of the reply when it is neither 200 nor 204. */
  status?: 201 | 202
  /** Where the new record is found; `:id` is its id. Every 201 has one. */
  location?: `/${string}`
  /** Takes `?dry_run=true` (contract 1.11). */
  dryRun?: boolean
  /**
   * Of the web app's own: takes an `Idempotency-Key` as all writes of the API do (contract 1.9), because
   * what it makes must not be there twice.
   */
  once?: true
  /**
   * `If-None-Match` (GET) or `If-Match` is compared with the record's ETag, or is refused; where this
   * is absent both are ignored (contract 1.8).
   */
  conditions?: 'compared' | 'refused'
  /**
   * The body is one file of any type instead of JSON (contract 7.3); `body` is what the operation is
   * handed of it. Only an upload has a name in its query.
   */
  upload?: true
  /** The reply is the bytes of a file instead of JSON; `reply` is what the operation gives of it. */
  download?: true
  /** Of a download: what the audit log tells of each that sends bytes, about the record of `:id`. */
  audited?: 'export.downloaded'
  /**
   * The reply goes on: server-sent events of this form. `reply` is what the operation gives: what of
   * all there is to tell the person may know.
   */
  stream?: TSchema
  /**
   * A GET that costs the database much more than one record does, so that it may be read from a replica:
   * one that has all that was acknowledged before (contract 1.1). Asking for that costs a question to each.
   * `long`: it may take tenths of a second, and so is done where nobody else waits for it.
   */
  far?: true | 'long'
  /** Owners may ask it of a workspace that is deleted, too: by default nothing is done there. */
  ofDeleted?: true
  /** A session may ask it that lacks the second factor which its workspace demands: by default, nothing. */
  beforeSecondFactor?: true
  /** The reply holds a secret: it is neither compressed nor kept in clear. */
  secret?: boolean
}

type Value<S> = S extends TSchema ? Static<S> : undefined

export interface Input<E extends Endpoint> {
  params: Value<E['params']>
  query: Value<E['query']>
  body: Value<E['body']>
}

export type Reply<E extends Endpoint> = Value<E['reply']>

/** Keeps the exact types of an endpoint, so that operations and callers are checked against it. */
export const endpoint = <const E extends Endpoint>(value: E): E => value

export const statusOf = (endpoint: Endpoint): number =>
  endpoint.status ?? (endpoint.reply ? 200 : 204)
