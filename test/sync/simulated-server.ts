import type { FeedChange } from '../../web/src/data/live/live-message.ts'
import { SimulatedOperations } from './simulated-operations.ts'
import { handleRecordRequest, SimulatedRecords } from './simulated-records.ts'
import { handleTaskRequest, SimulatedTasks, toFormerPatch } from './simulated-tasks.ts'

/** A request as a page sends it. */
export interface SimulatedRequest {
  method: string
  path: string
  /** Its Idempotency-Key; empty without one. */
  key: string
  /** The revision in If-Match: of a task its version. */
  revision?: string
  /** The body as JSON. */
  text: string
  /** Whose browser sends it. */
  person: number
  /** When a page has sent it, in ms. */
  sentAt?: number
}

export interface SimulatedReply {
  status: number
  body?: unknown
  /** What is sent piece by piece in place of a body, each as it is then. */
  lines?: readonly (() => object)[]
  /** All changes up to this one are contained; undefined in a repeated reply. */
  changeNumber?: number
  error?: { code: string; message: string; details: readonly never[]; request_id: string }
  /** Whether it repeats the reply to an earlier request. */
  isReplayed?: boolean
  /** The operation of the request; undefined if it has changed nothing. */
  operationId?: string | undefined
  retryAfter?: number
}

/** A write that the server has accepted, without replays. */
export interface AcceptedWrite {
  key: string
  /** The record that was written; for a batch, there is one for each of its tasks. */
  target: string
}

/** What the change numbers belong to. */
export const HISTORY = 'h1'

/** How long the server remembers a key. */
export const KEY_TTL_MS = 24 * 60 * 60 * 1000

/** A server with idempotency keys and versions, as docs/spec/api.md promises them. */
export class SimulatedServer {
  readonly tasks: SimulatedTasks
  readonly records: SimulatedRecords
  readonly operations = new SimulatedOperations()
  readonly accepted: AcceptedWrite[] = []
  readonly wrong: string[] = []
  /** All changes, which pages follow. Their numbers begin with 1. */
  readonly feed: FeedChange[] = []
  /** Called after each write. */
  readonly listeners: (() => void)[] = []
  readonly #replies = new Map<string, { request: string; reply: SimulatedReply; at: number }>()
  readonly #refusals = new Map<string, number>()

  constructor() {
    this.tasks = new SimulatedTasks(this.feed, this.operations)
    this.records = new SimulatedRecords(this.feed, this.wrong, this.operations)
  }

  /** From now on refuses what it has not executed under this key. */
  refuse(key: string, status: number): void {
    if (!this.accepted.some((one) => one.key === key)) this.#refusals.set(key, status)
  }

  /** Executes a request once for its key, or replays the reply. */
  handle(request: SimulatedRequest, now: number): SimulatedReply {
    const reply = this.#execute(request, now)
    return reply.isReplayed ? reply : { ...reply, changeNumber: this.feed.length }
  }

  #execute(request: SimulatedRequest, now: number): SimulatedReply {
    const { method, path, key, text } = request
    // If-Match is no part of the fingerprint. Addresses below /internal ignore the key.
    const isKeyed = key !== '' && path.startsWith('/api/')
    const fingerprint = `${method} ${path} ${text}`
    const earlier = this.#replies.get(key)
    if (isKeyed && earlier && now - earlier.at < KEY_TTL_MS) {
      return earlier.request === fingerprint
        ? { ...earlier.reply, isReplayed: true }
        : createProblem(422, 'idempotency_key_reused')
    }
    const refusal = this.#refusals.get(key)
    if (refusal) return createProblem(refusal, 'refused')
    const [, parent] = /^\/api\/v1\/tasks\/(tsk_\w+)\//.exec(path) ?? []
    if (parent !== undefined && !path.endsWith('/restore') && !this.tasks.get(parent))
      return createProblem(404, 'not_found')
    const targets: string[] = []
    const accept = (target: string) => void targets.push(target)
    const [outcome, operation_id] = this.operations.run(
      key,
      () =>
        this.#undo(request, now, accept) ??
        handleTaskRequest(this.tasks, request, now, accept) ??
        handleRecordRequest(this.records, request, now, accept) ??
        createProblem(404, 'route_not_found'),
    )
    const reply = { ...outcome, operationId: operation_id ?? undefined }
    if (reply.status >= 400) return reply
    if (isKeyed) this.#replies.set(key, { request: fingerprint, reply, at: now })
    for (const target of targets) this.accepted.push({ key, target })
    this.records.stopTimersOfDeleted((id) => this.tasks.get(id) !== undefined, now)
    if (method !== 'GET') for (const listener of this.listeners) listener()
    return reply
  }

  /** Handles the undo of operations; undefined if the request is none. */
  #undo(
    { path, key, text }: SimulatedRequest,
    now: number,
    accept: (target: string) => void,
  ): SimulatedReply | undefined {
    if (path !== '/api/v1/operations/undo') return undefined
    const { ids }: { ids: string[] } = JSON.parse(text)
    const { tasks, records, operations } = this
    accept(ids.join(' '))
    const body = operations.undo(ids, key, {
      find(id) {
        const task = tasks.get(id)
        return task ? { record: { ...task }, revision: String(task.version) } : records.find(id)
      },
      delete: (id) => tasks.delete(id) || records.delete(id),
      restore: (id) => tasks.restore(id, now) !== undefined || records.restore(id, now),
      change(id, fields) {
        const task = tasks.get(id)
        if (task) tasks.change(task, toFormerPatch(fields), key, now)
        else records.changeBack(id, fields, now)
      },
    })
    return { status: 200, body }
  }
}

/** An error reply of the API. */
export const createProblem = (
  status: number,
  code: string,
  retryAfter?: number,
): SimulatedReply => ({
  status,
  error: { code, message: code, details: [], request_id: '' },
  ...(retryAfter !== undefined && { retryAfter }),
})
