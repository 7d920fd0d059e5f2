import type { Project } from '#resources/projects/contract.ts'
import { SUMMARY_FIELDS } from '#resources/web-app/project-tasks/contract.ts'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import type { FeedChange } from '../../web/src/data/live/live-message.ts'
import {
  applyPatch,
  getPatchedFields,
  isSameValue,
  type Task,
  type TaskPatch,
} from '../../web/src/data/tasks/task-patch.ts'
import type { ChangedFields, SimulatedOperations } from './simulated-operations.ts'
import {
  createProblem,
  HISTORY,
  type SimulatedReply,
  type SimulatedRequest,
} from './simulated-server.ts'
import type { SimulatedWorld } from './simulated-world.ts'

const LOOKS = { color: '#000000', position: 0 }

export const PROJECT: Pick<Project, 'id' | 'prefix' | 'statuses'> = {
  id: 'prj_1',
  prefix: 'ENG',
  statuses: [
    { key: 'todo', name: 'To do', category: 'unstarted', ...LOOKS },
    { key: 'doing', name: 'Doing', category: 'started', ...LOOKS },
    { key: 'done', name: 'Done', category: 'completed', ...LOOKS },
    { key: 'canceled', name: 'Canceled', category: 'canceled', ...LOOKS },
  ],
}

/** One field that a write has changed. */
export interface FieldChange {
  key: string
  id: string
  field: string
  before: unknown
  after: unknown
  at: number
}

/** The tasks of the simulated server. */
export class SimulatedTasks {
  readonly #tasks = new Map<string, Task>()
  readonly #deleted = new Map<string, Task>()
  /** The ids of all tasks, in the order of their numbers. */
  readonly #ids: string[] = []
  readonly feed: FeedChange[]
  /** Every change of a field, in order. */
  readonly changes: FieldChange[] = []
  /** When each task was last restored, in ms. */
  readonly restoredAt = new Map<string, number>()
  readonly operations: SimulatedOperations

  constructor(feed: FeedChange[], operations: SimulatedOperations) {
    this.feed = feed
    this.operations = operations
  }

  get all(): Task[] {
    return [...this.#tasks.values()]
  }

  get(id: string): Task | undefined {
    return this.#tasks.get(id)
  }

  shortIdOf(id: string): string {
    return (this.#tasks.get(id) ?? this.#deleted.get(id))?.short_id ?? id
  }

  /** The id of the task that has a number, also of a deleted one. */
  idOf(number: number): string {
    return this.#ids[number - 1] ?? ''
  }

  /** The id ends with the last letters of the key, by which a page recognizes its creations. */
  create(fields: Partial<Task>, now: number, key = ''): Task {
    const number = this.#ids.length + 1
    const times = { created_at: toTimestamp(now), updated_at: toTimestamp(now) }
    const task = createTaskRecord({
      id: `tsk_${number}${key && `_${key.slice(-8)}`}`,
      number,
      short_id: `ENG-${number}`,
      description: null,
      project_id: PROJECT.id,
      created_by_id: 'usr_0',
      ...times,
      ...fields,
    })
    this.#ids.push(task.id)
    this.#put(task)
    this.operations.note({ id: task.id, verb: 'created', revision: String(task.version) })
    return task
  }

  change(before: Task, patch: TaskPatch, key: string, now: number): Task {
    const patched = withTimes(applyPatch(before, patch, PROJECT), before, now)
    const names = getPatchedFields(patch).filter(
      (name) => !isSameValue(before[name], patched[name]),
    )
    if (names.length === 0) return before
    for (const field of names)
      this.changes.push({
        key,
        id: before.id,
        field,
        at: now,
        before: before[field],
        after: patched[field],
      })
    const fields = Object.fromEntries(
      names.map((name) => [name, { from: before[name], to: patched[name] }]),
    )
    this.operations.note({ id: before.id, verb: 'changed', fields })
    const task = { ...patched, version: before.version + 1, updated_at: toTimestamp(now) }
    this.#put(task)
    return task
  }

  delete(id: string): boolean {
    const task = this.#tasks.get(id)
    if (!task || !this.#tasks.delete(id)) return false
    this.#deleted.set(id, { ...task, version: task.version + 1 })
    this.feed.push({ op: 'delete', type: 'task', id, project_id: PROJECT.id })
    this.operations.note({ id, verb: 'deleted' })
    return true
  }

  restore(id: string, now: number): Task | undefined {
    const task = this.#deleted.get(id)
    if (!task || !this.#deleted.delete(id)) return undefined
    const restored = { ...task, version: task.version + 1 }
    this.#put(restored)
    this.operations.note({ id, verb: 'restored', revision: String(restored.version) })
    this.restoredAt.set(id, now)
    return restored
  }

  #put(task: Task): void {
    this.#tasks.set(task.id, task)
    this.feed.push({
      op: 'put',
      type: 'task',
      id: task.id,
      project_id: PROJECT.id,
      record: task,
    })
  }
}

const toTimestamp = (at: number): string => new Date(at).toISOString()

/** A task with the simulated time at which it was completed or canceled. */
function withTimes(task: Task, before: Task, now: number): Task {
  const toTime = (name: 'completed_at' | 'canceled_at') =>
    task[name] && (before[name] ?? toTimestamp(now))
  return { ...task, completed_at: toTime('completed_at'), canceled_at: toTime('canceled_at') }
}

/** The patch that gives fields their former values. What others have added to a set stays in it. */
export const toFormerPatch = (fields: ChangedFields): TaskPatch =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { from, to }]) => {
      if (!Array.isArray(from) || !Array.isArray(to)) return [[name, from]]
      return [
        [`add_${name}`, from.filter((id) => !to.includes(id))],
        [`remove_${name}`, to.filter((id) => !from.includes(id))],
      ]
    }),
  )

interface BulkRequestOperation {
  op: string
  id?: string
  version?: number
  data?: TaskPatch
}

/** Handles a request that concerns tasks; undefined if it does not. */
export function handleTaskRequest(
  tasks: SimulatedTasks,
  { method, path, key, revision, text }: SimulatedRequest,
  now: number,
  accept: (target: string) => void,
): SimulatedReply | undefined {
  if (path === `/internal/projects/${PROJECT.id}/tasks`) return readProject(tasks)
  const [, after] = /^\/internal\/changes\?after=(\d+)/.exec(path) ?? []
  if (after !== undefined) return readChanges(tasks, Number(after))
  const [, ids] = /^\/api\/v1\/tasks\?id=([^&]*)/.exec(path) ?? []
  if (ids !== undefined) {
    const asked = new Set(decodeURIComponent(ids).split(','))
    return { status: 200, body: { data: tasks.all.filter(({ id }) => asked.has(id)) } }
  }
  const run = (operation: BulkRequestOperation): SimulatedReply => {
    const reply = execute(tasks, key, operation, now)
    if (reply.status < 400) accept(operation.id ?? toId(reply))
    return reply
  }
  if (method === 'POST' && path === '/api/v1/tasks') {
    const data: TaskPatch = JSON.parse(text)
    return run({ op: 'create', data })
  }
  if (path === '/api/v1/tasks/bulk') {
    const { operations }: { operations: BulkRequestOperation[] } = JSON.parse(text)
    return {
      status: 200,
      body: {
        results: operations.map((one, index) => {
          const [reply, operation_id] = tasks.operations.run(key, () => run(one))
          return toResult(index, reply, operation_id)
        }),
      },
    }
  }
  const [, id, action] = /^\/api\/v1\/tasks\/(tsk_\w+)(?:\/(complete|restore))?$/.exec(path) ?? []
  if (id === undefined) return undefined
  const guard = revision === undefined ? {} : { version: Number(revision) }
  if (method === 'GET') {
    const task = tasks.get(id)
    return task ? { status: 200, body: task } : createProblem(404, 'not_found')
  }
  if (method === 'DELETE') return run({ op: 'delete', id, ...guard })
  if (action) return run({ op: action, id, ...guard })
  return run({ op: 'update', id, ...guard, data: JSON.parse(text) })
}

function execute(
  tasks: SimulatedTasks,
  key: string,
  { op, id = '', version, data = {} }: BulkRequestOperation,
  now: number,
): SimulatedReply {
  if (op === 'create')
    return { status: 201, body: tasks.create({ title: data.title ?? '' }, now, key) }
  if (op === 'restore') {
    const existing = tasks.get(id)
    if (existing) return { status: 200, body: existing }
    const task = tasks.restore(id, now)
    return task ? { status: 200, body: task } : createProblem(404, 'not_found')
  }
  const before = tasks.get(id)
  if (!before) return createProblem(404, 'not_found')
  if (version !== undefined && version !== before.version)
    return createProblem(412, 'version_mismatch')
  if (op === 'delete') {
    tasks.delete(id)
    return { status: 204, body: undefined }
  }
  const isCompleted = op === 'complete' && before.status_category === 'completed'
  const patch = op === 'complete' ? { status: 'done' } : data
  const body = isCompleted ? before : tasks.change(before, patch, key, now)
  return { status: 200, body }
}

/** Each line but the first has the tasks of a status as they are when it is sent. */
function readProject(tasks: SimulatedTasks): SimulatedReply {
  const head = {
    project_id: PROJECT.id,
    change_number: tasks.feed.length,
    history: HISTORY,
    total: tasks.all.length,
    tags: [],
  }
  const columns = PROJECT.statuses.map(({ key }) => () => {
    const some = tasks.all.filter(({ status }) => status === key)
    return Object.fromEntries(SUMMARY_FIELDS.map((name) => [name, some.map((task) => task[name])]))
  })
  return { status: 200, lines: [() => head, ...columns, () => ({ end: true })] }
}

const MAX_CHANGES_PER_REPLY = 3

/** The last change of each task, from those after a number. */
function readChanges({ feed }: SimulatedTasks, after: number): SimulatedReply {
  const isLast = ({ id }: FeedChange, at: number) =>
    !feed.some((one, later) => later > at && one.id === id)
  const rows = feed.flatMap((change, at) =>
    at >= after && change.type === 'task' && isLast(change, at) ? { change, number: at + 1 } : [],
  )
  const some = rows.slice(0, MAX_CHANGES_PER_REPLY)
  const has_more = some.length < rows.length
  const number = has_more ? some.at(-1)?.number : feed.length
  const data = some.map(({ change }) => change)
  return { status: 200, body: { data, position: `${number}.${HISTORY}`, has_more } }
}

const toId = ({ body }: SimulatedReply): string =>
  typeof body === 'object' && body !== null && 'id' in body ? String(body.id) : ''

function toResult(
  index: number,
  { status, body, error }: SimulatedReply,
  operation_id: string | null,
) {
  return { index, status, operation_id, data: body ?? null, error: error ?? null }
}

/** A task, often one that the server has not created yet. */
export const pickOftenNew = (tasks: readonly Task[], world: SimulatedWorld): Task | undefined =>
  (world.random() < 0.5 && tasks.findLast(({ number }) => number < 0)) || world.pick(tasks)
