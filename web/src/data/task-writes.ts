import type {
  bulkTasks,
  completeTask,
  deleteTask,
  getTask,
  restoreTask,
  updateTask,
} from '#resources/tasks/contract.ts'
import { answered, call, type Sent } from '../lib/call.ts'
import { Problem } from '../lib/problem.ts'
import { m } from '../messages/data.ts'
import { noteLocal } from './local-changes.ts'
import { rereadTask } from './one-task.ts'
import { noteOwn } from './own.ts'
import { cancel, enqueue, held, type Intent, resume } from './queue.ts'
import { queries, refetchLists } from './refetch.ts'
import {
  baseOf,
  changesOf,
  conflictOf,
  dropTask,
  isConflictShown,
  isMounted,
  isPlaceholder,
  onTasks,
  putTasks,
  realIdOf,
  setChanges,
  setConflict,
  taskOf,
} from './task-store.ts'
import {
  type Change,
  clashes,
  fieldsOf,
  inverseOf,
  patched,
  type Task,
  type TaskPatch,
} from './task-view.ts'
import { toast } from './toasts.ts'

/** What is told of a change. */
export interface Telling {
  /** In the toast, e.g. "Moved DOC-12 to Done"; none: no toast. */
  label?: string
  /** The task as it was when editing began, where that is longer ago than now. */
  from?: Task
}

/** Changes a task: shown in the same frame, sent in its turn, with undo in its toast. */
export function changeTask(id: string, patch: TaskPatch, telling: Telling = {}): void {
  const task = taskOf(id)
  if (!task) return
  begin(task, { kind: 'patch', patch }, telling)
}

/** Completes a task; a completed one stays as it is. */
export function completeTasks(id: string, status: string, telling: Telling = {}): void {
  const task = taskOf(id)
  if (!task || task.status_category === 'completed') return
  begin(task, { kind: 'complete', patch: { status } }, telling)
}

/** Deletes a task; the toast restores it. */
export function removeTask(id: string, telling: Telling = {}): void {
  const task = taskOf(id)
  if (!task) return
  begin(task, { kind: 'delete', patch: {} }, telling)
}

/** Brings a deleted task back; tried again, under the same key. */
export async function restore(id: string, key: string = crypto.randomUUID()): Promise<Task> {
  const sent = { params: { id }, body: {} }
  const to = 'POST /api/v1/tasks/:id/restore'
  const { body, operation_id } = await answered<typeof restoreTask>(to, sent, {
    idempotencyKey: key,
  })
  noteOwn(operation_id)
  noteLocal(body)
  putTasks([body])
  refetchLists()
  return body
}

function begin(task: Task, meant: Pick<Change, 'kind' | 'patch'>, telling: Telling): void {
  const { label, from = task } = telling
  const change: Change = { ...meant, key: crypto.randomUUID(), from }
  setChanges(task.id, (changes) => [...changes, change])
  let producedVersion: number | undefined
  enqueue(
    changing(task, change, label ?? m.changed(task.short_id), (version) => {
      producedVersion = version
    }),
  )
  if (label === undefined) return
  toast({
    text: label,
    undo: () => takeBack(task, change, () => producedVersion),
  })
}

/** Goes on with a change that a page has left behind: shown on the task as it was then, until that is read. */
export function resumeChange(old: boolean, id: string, change: Change, label: string): void {
  if (!baseOf(id)) putTasks([change.from])
  const task = baseOf(id)
  if (!task) return
  setChanges(id, (changes) => [...changes, change])
  resume(changing(task, change, label), old)
}

function changing(
  task: Task,
  change: Change,
  label: string,
  produced: (version: number | undefined) => void = () => undefined,
): Intent {
  return {
    key: change.key,
    lane: task.id,
    label,
    kept: { kind: 'change', id: task.id, change, label },
    async send() {
      if (isPlaceholder(task.id) && baseOf(task.id)) {
        await held(change.key, new Promise((made) => onGone(task.id, made)))
      }
      produced(await sendChange(realIdOf(task.id), change))
    },
    refused(error) {
      settle(realIdOf(task.id), change.key)
      tellRefused(task, error)
    },
  }
}

/** Calls once a task is not there any more: a placeholder, because the task that it stands for was made. */
function onGone(id: string, then: () => void): () => void {
  const stop = onTasks(() => {
    if (baseOf(id)) return
    stop()
    then()
  })
  return stop
}

/** Sends a change; where somebody else changed other fields meanwhile, again on top of theirs. */
async function sendChange(id: string, change: Change): Promise<number | undefined> {
  for (;;) {
    const base = baseOf(id)
    if (!base) return tellGone(change)
    const version = versionFor(base, change)
    const passed = version === change.from.version ? [] : clashing(change, base)
    if (passed.length > 0) {
      // A change of one's own before it was put on top of theirs, which this one would overwrite.
      await held(change.key, decided(id, { change, theirs: base, fields: passed }))
      if (!baseOf(id)) continue
      if (!changesOf(id).some(({ key }) => key === change.key)) return undefined
      continue
    }
    try {
      const task = await post(id, change, version)
      if (change.kind === 'delete') dropTask(id)
      else settle(id, change.key, task)
      refetchLists()
      void queries.invalidateQueries({ queryKey: ['activity', id] })
      countAgain(base, change)
      return task?.version
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'version_mismatch') throw error
      const theirs = await call<typeof getTask>('GET /api/v1/tasks/:id', { params: { id } })
      const fields = clashing(change, theirs)
      putTasks([theirs])
      if (fields.length === 0) {
        change.from = { ...change.from, version: theirs.version }
        continue
      }
      await held(change.key, decided(id, { change, theirs, fields }))
      if (!baseOf(id)) continue
      if (!changesOf(id).some(({ key }) => key === change.key)) return undefined
    }
  }
}

/** A parent that is shown counts its subtasks, and which of them are completed. */
function countAgain({ parent_id }: Task, { kind, patch }: Change): void {
  if (kind === 'patch' && !('status' in patch)) return
  if (parent_id && isMounted(parent_id)) rereadTask(parent_id)
}

/** The version that the change was meant for; changes of one's own that came first are known. */
const versionFor = (base: Task, change: Change): number =>
  ownVersions.get(base.id) === base.version ? base.version : change.from.version

/** The version that one's own last change of a task made. */
const ownVersions = new Map<string, number>()
export const noteVersion = ({ id, version }: Task): void => void ownVersions.set(id, version)

/** Fields of the change that have another value now than when it was meant, and than it gives them. */
export function clashing({ kind, patch, from }: Change, theirs: Task): (keyof Task)[] {
  if (kind === 'delete') return []
  return fieldsOf(patch).filter((name) => {
    // What is added to a set, or taken from it, goes together with what others do to it.
    return name in patch && clashes(name, patch, from, theirs)
  })
}

const deciding = new Map<string, () => void>()

/** Waits until one of the two is chosen, or there is nothing to choose about any more. */
function decided(id: string, conflict: Parameters<typeof setConflict>[1]): Promise<void> {
  setConflict(id, conflict)
  const short_id = conflict?.theirs.short_id
  if (short_id && !isConflictShown(id)) toast({ text: m.conflict(short_id), tone: 'trouble' })
  const stop = onGone(id, () => choose(id))
  return new Promise((resolve) => {
    deciding.set(id, () => {
      stop()
      resolve()
    })
  })
}

/** Keeps what I meant, on top of theirs; or another patch, where both were merged by hand. */
export function keepMine(id: string, change: Change, theirs: Task, patch = change.patch): void {
  change.from = theirs
  change.patch = patch
  setChanges(id, (changes) => [...changes])
  choose(id)
}

/** Gives up what I meant. */
export function takeTheirs(id: string, change: Change): void {
  settle(id, change.key)
  choose(id)
}

function choose(id: string): void {
  setConflict(id, undefined)
  deciding.get(id)?.()
  deciding.delete(id)
}

async function post(id: string, { kind, patch, key }: Change, version: number) {
  const options = { idempotencyKey: key, ifMatch: version }
  const params = { id }
  const reply = await (kind === 'delete'
    ? answered<typeof deleteTask>('DELETE /api/v1/tasks/:id', { params }, options)
    : kind === 'complete'
      ? answered<typeof completeTask>(
          'POST /api/v1/tasks/:id/complete',
          { params, body: {} },
          options,
        )
      : answered<typeof updateTask>('PATCH /api/v1/tasks/:id', { params, body: patch }, options))
  noteOwn(reply.operation_id)
  return reply.body as Task | undefined
}

/** The change is over: with the task that it made, or without effect. */
export function settle(id: string, key: string, task?: Task): void {
  if (task) {
    ownVersions.set(id, task.version)
    putTasks([task])
  }
  setChanges(id, (changes) => changes.filter((one) => one.key !== key))
}

/** Takes a change back: by not sending it, where it still waits; else by what undoes it. */
function takeBack(task: Task, change: Change, produced: () => number | undefined): void {
  const id = realIdOf(task.id)
  if (cancel(change.key)) {
    settle(id, change.key)
    return
  }
  if (conflictOf(id)?.change.key === change.key) {
    takeTheirs(id, change)
    return
  }
  if (change.kind === 'delete') {
    const key = crypto.randomUUID()
    enqueue({
      key,
      lane: task.id,
      label: m.restored(task.short_id),
      send: async () => void (await restore(id, key)),
      refused: (error) => tellRefused(task, error),
    })
    return
  }
  const version = produced()
  const now = taskOf(id)
  if (!now) return
  // As it was left: what others made of the same fields since is a conflict, not undone silently.
  const from = version === undefined ? now : { ...now, ...left(task, change), version }
  begin(now, { kind: 'patch', patch: inverseOf(change.patch, task) }, { from })
}

/** The fields of a change as it left them. */
function left(task: Task, { patch }: Change): Partial<Task> {
  const after = patched(task, patch, undefined)
  return Object.fromEntries(fieldsOf(patch).map((name) => [name, after[name]]))
}

/** Somebody deleted the task before a change of it was sent. */
function tellGone({ kind, from }: Change): undefined {
  if (kind !== 'delete') toast({ text: m.refused(from.short_id, m.goneMeanwhile), tone: 'trouble' })
}

function tellRefused(task: Task, error: unknown): void {
  if (!(error instanceof Problem)) return
  if (error.status === 404) dropTask(task.id)
  toast({
    text: m.refused(task.short_id, error.details[0]?.message ?? error.message),
    tone: 'trouble',
    request_id: error.request_id,
  })
}

export type BulkOperation = Sent<typeof bulkTasks>['body']['operations'][number]
