import { createTaskRecord } from '#test/support/data/task-record.ts'
import { toRevision } from '../../../web/src/data/mutations/record-revision.ts'
import {
  applyPatch,
  getPatchedFields,
  isSameValue,
  type Task,
  type TaskChange,
} from '../../../web/src/data/tasks/task-patch.ts'
import { ApiResponseError } from '../../../web/src/lib/http/problem.ts'
import { NOTE_IDS, type NoteEdit, type SimulatedNote } from './simulated-notes.ts'

/** A write as a client sends it. */
export type SimulatedRequest =
  | { op: 'create'; title: string }
  | { op: 'change'; id: string; change: TaskChange; version: number }
  | { op: 'edit'; edit: NoteEdit; key: string; revision: string }
  | { op: 'comment'; text: string }
  | { op: 'delete'; text: string }
  | { op: 'start' }
  | { op: 'stop'; entry: string }

type ReplyBody = Task | SimulatedNote | string

export interface SimulatedReply {
  body: ReplyBody
  /** Whether it is the reply to an earlier request, since which the record may have changed. */
  isReplayed: boolean
}

/** How long the server remembers a key. */
export const KEY_TTL_MS = 24 * 60 * 60 * 1000

/** A server with idempotency keys and versions, as docs/spec/api.md promises them. */
export class SimulatedServer {
  readonly tasks = new Map<string, Task>()
  readonly comments = new Set<string>()
  readonly notes = new Map<string, SimulatedNote>(
    NOTE_IDS.map((id) => [id, { id, text: '', color: '', updated_at: new Date(0).toISOString() }]),
  )
  /** The timers that were started, by the key of the start, and the keys of their stops. */
  readonly timers = new Map<string, string[]>()
  /** The requests that were executed under each key. */
  readonly executed = new Map<string, SimulatedRequest[]>()
  /** What the author of a change had seen when it was made. */
  readonly seen = new Map<string, ReadonlySet<string>>()
  readonly wrong: string[] = []
  /** Called after each write, with the task that it has changed. */
  readonly listeners: ((task: Task | undefined) => void)[] = []
  readonly #replies = new Map<string, { request: string; body: ReplyBody; at: number }>()
  readonly #refusals = new Map<string, number>()
  #lastId = 0

  /** From now on refuses what it has not executed under this key. */
  refuse(key: string, status: number): void {
    if (!this.executed.has(key)) this.#refusals.set(key, status)
  }

  /** Executes a request once for its key, or replays the reply. */
  handle(key: string, request: SimulatedRequest, now: number): SimulatedReply {
    const { change, edit, ...rest } = { change: undefined, edit: undefined, ...request }
    // If-Match is no part of the fingerprint.
    const patch = change?.patch ?? edit?.patch
    const fingerprint = JSON.stringify({ ...rest, version: 0, revision: '', patch })
    const earlier = this.#replies.get(key)
    if (earlier && now - earlier.at < KEY_TTL_MS) {
      if (earlier.request === fingerprint) return { body: earlier.body, isReplayed: true }
      throw createProblem(422, 'idempotency_key_reused')
    }
    const refusal = this.#refusals.get(key)
    if (refusal) throw createProblem(refusal, 'refused')
    const body = this.#execute(request, key)
    this.#replies.set(key, { request: fingerprint, body, at: now })
    this.executed.set(key, [...(this.executed.get(key) ?? []), request])
    for (const listener of this.listeners)
      listener(typeof body === 'object' && 'title' in body ? body : undefined)
    return { body, isReplayed: false }
  }

  #execute(request: SimulatedRequest, key: string): ReplyBody {
    switch (request.op) {
      case 'create': {
        this.#lastId += 1
        const task = createSimulatedTask(`tsk_${this.#lastId}`, request.title)
        this.tasks.set(task.id, task)
        return task
      }
      case 'change':
        return this.#change(request)
      case 'edit':
        return this.#edit(request)
      case 'comment':
        this.comments.add(request.text)
        return request.text
      case 'delete':
        if (!this.comments.delete(request.text)) throw createProblem(404, 'not_found')
        return request.text
      case 'start':
        this.timers.set(key, [])
        return key
      case 'stop':
        this.timers.get(request.entry)?.push(key)
        return request.entry
    }
  }

  #change({ id, change, version }: SimulatedRequest & { op: 'change' }): Task {
    const task = this.tasks.get(id)
    if (!task) throw createProblem(404, 'not_found')
    if (task.version !== version) throw createProblem(412, 'version_mismatch')
    const changed = { ...applyPatch(task, change.patch, undefined), version: version + 1 }
    for (const name of getPatchedFields(change.patch)) {
      if (!(name in change.patch) || isSameValue(task[name], changed[name])) continue
      const isSeen = this.seen.get(change.key)?.has(JSON.stringify(task[name]))
      if (!isSeen && !isSameValue(task[name], change.from[name]))
        this.wrong.push(`${change.key} overwrites ${name} of ${id}, which its author has not seen`)
    }
    this.tasks.set(id, changed)
    return changed
  }

  #edit({ edit, key, revision }: SimulatedRequest & { op: 'edit' }): SimulatedNote {
    const { base, patch } = edit
    const note = this.notes.get(base.id)
    if (!note) throw createProblem(404, 'not_found')
    if (toRevision(note) !== revision) throw createProblem(412, 'version_mismatch')
    for (const name of ['text', 'color'] as const) {
      if (patch[name] === undefined || patch[name] === note[name]) continue
      if (!this.seen.get(key)?.has(JSON.stringify(note[name])))
        this.wrong.push(`${key} overwrites ${name} of ${base.id}, which its author has not seen`)
    }
    const updated_at = new Date(Date.parse(note.updated_at) + 1).toISOString()
    const edited = { ...note, ...patch, updated_at }
    this.notes.set(base.id, edited)
    return edited
  }
}

export const createSimulatedTask = (id: string, title: string, version = 1): Task =>
  createTaskRecord({ id, title, version, description: '' })

/** An error reply of the API. */
export const createProblem = (status: number, code: string, retryAfter?: number) =>
  new ApiResponseError(status, { code, message: code, details: [], request_id: '' }, retryAfter)
