import type { updateTask } from '#resources/tasks/contract.ts'
import { readTask, rereadTask } from '../../data/one-task.ts'
import { noteOwn } from '../../data/own.ts'
import { queries, refetchLists } from '../../data/refetch.ts'
import { putTasks } from '../../data/task-store.ts'
import { clashes, fieldsOf, type Task, type TaskPatch } from '../../data/task-view.ts'
import { changeTask } from '../../data/task-writes.ts'
import { toast } from '../../data/toasts.ts'
import { answered } from '../../lib/call.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/task.ts'
import { messageOf } from '../../ui/trouble.tsx'

/** Makes a task a subtask of another, or of none. Gives what the API says against it, e.g. a cycle. */
export const setParent = (task: Task, parent_id: string | null): Promise<string | undefined> =>
  write(
    task,
    { parent_id },
    parent_id === null ? m.cleared(task.short_id, m.parent) : m.parentSet(task.short_id),
  )

/** Sets what a task waits for. Gives what the API says against it, e.g. a cycle with its path. */
export const setBlockers = (task: Task, ids: readonly string[]): Promise<string | undefined> => {
  const blocked_by_ids = [...ids].toSorted()
  return write(task, { blocked_by_ids }, m.blockersSet(task.short_id))
}

/**
 * Links are refused for reasons that only the server can see, so they are sent before they show: the
 * refusal then stands where they are set.
 */
async function write(task: Task, patch: TaskPatch, label: string): Promise<string | undefined> {
  try {
    await changeNow(task, patch, label)
    return undefined
  } catch (error) {
    return error instanceof Problem
      ? (error.details[0]?.message ?? error.message)
      : messageOf(error)
  }
}

/**
 * Changes a task at the server first: it shows once that has said yes. Where others changed other fields meanwhile it is
 * sent again on top of theirs. Throws Problem otherwise.
 */
export async function changeNow(task: Task, patch: TaskPatch, label: string): Promise<void> {
  const after = await sent(task, patch)
  putTasks([after])
  refetchLists()
  void queries.invalidateQueries({ queryKey: ['activity', task.id] })
  for (const other of others(task, after)) rereadTask(other)
  toast({ text: label, undo: () => undo(task, after, patch, label) })
}

async function sent(task: Task, patch: TaskPatch): Promise<Task> {
  const { id, version: ifMatch } = task
  try {
    const to = 'PATCH /api/v1/tasks/:id'
    const options = { idempotencyKey: crypto.randomUUID(), ifMatch }
    const reply = await answered<typeof updateTask>(to, { params: { id }, body: patch }, options)
    noteOwn(reply.operation_id)
    return reply.body
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'version_mismatch') throw error
    const theirs = await readTask(id)
    if (fieldsOf(patch).some((name) => clashes(name, patch, task, theirs))) throw error
    return sent(theirs, patch)
  }
}

function undo(before: Task, after: Task, patch: TaskPatch, label: string): void {
  const inverse = Object.fromEntries(
    Object.keys(patch).map((name) => [name, before[name as keyof Task]]),
  )
  changeTask(after.id, inverse, { label, from: after })
}

/** Tasks whose derived fields such a change moves: parents count, blockers name what they block. */
const others = (before: Task, after: Task): string[] => [
  ...new Set(
    [
      ...[before.parent_id, after.parent_id],
      ...before.blocked_by_ids,
      ...after.blocked_by_ids,
    ].flatMap((id) => id ?? []),
  ),
]
