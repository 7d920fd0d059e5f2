import type { OperationChange } from '#wire/operation-record.ts'

/** What a write does, or would do. */
export interface WriteEffect {
  /** How many records it changes. */
  record_count: number
  /** The first of its changes. */
  changes: OperationChange[]
  /** Of all that it does. Two writes that do the same have the same, whatever their time and the ids they make. */
  digest: string
}

/** A request that waits for a person, as it is stored. */
export interface PendingRequest {
  /** That of the operation that it becomes. */
  id: string
  /** Method and path of its endpoint. */
  endpoint: string
  /** JSON of `SentWrite`. */
  request: string
  /** Of the effect that the person has seen. */
  digest: string
}

/** What a program has sent. */
export interface SentWrite {
  params: unknown
  query: unknown
  body: unknown
  /** The revisions that its If-Match allows. */
  allowed: string[] | '*' | null
  /** The scopes that its credential had. */
  scopes: string[]
}

/** What came of running it: its reply, or the other effect that it would have had, of which nothing is written. */
export type PendingOutcome = { reply: PendingReply } | { effect: WriteEffect }

interface PendingReply {
  status: number
  body: string
  /** Null if it changed nothing, or consists of several operations, as in bulk. */
  operation_id: string | null
}
