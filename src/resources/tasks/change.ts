import { same } from '#core/changes.ts'
import { later } from '#core/later.ts'
import type { WriteTx } from '#core/tx.ts'
import { indexed, searchable } from '#storage/words.ts'
import { CORE, type Core, columnsOf, type Stage } from './core.ts'
import type { Task } from './fields.ts'
import {
  addBlocker,
  addTag,
  assign,
  countTagged,
  difference,
  dropBlocker,
  dropTag,
  refreshDependencies,
  unassign,
} from './links.ts'
import { taskById } from './shown.ts'
import { countSubtask, countTask, type Settable, setTask, writeWords } from './store.ts'
import { noteDerived } from './tell.ts'

/** What an operation makes of a task: its fields, its stage, and other columns. */
export interface Becoming {
  core: Core
  stage: Stage
  /** Columns that follow from more than the fields: rank, project and number, deletion. */
  more?: Partial<Settable>
}

/**
 * Writes the difference between a task and what it becomes, with everything that is derived from it;
 * gives it as it is shown, or undefined when there is no difference.
 */
export async function change(tx: WriteTx, before: Task, { core, stage, more = {} }: Becoming) {
  const { id } = before
  const after = { ...core, ...stage }
  const fields = CORE.filter((name) => !same(before[name], core[name]))
  const columns: Partial<Settable> = {
    ...columnsOf(Object.fromEntries(fields.map((name) => [name, core[name]]))),
    ...differing(before, stage),
    ...differing(before, more),
  }
  if (fields.length === 0 && Object.keys(columns).length === 0) return undefined
  columns.version = before.version + 1
  columns.updated_at = later(tx, before.updated_at)
  const names = (Object.keys(columns) as (keyof Settable)[]).toSorted()
  await tx.run(setTask(names), { ...columns, id })

  if (fields.includes('title') || fields.includes('description')) {
    const words = indexed(tx.actor.workspace_id, searchable(core.title, core.description))
    await tx.run(writeWords, { id, words })
  }
  await link(tx, before, core)
  const project_id = more.project_id ?? before.project_id
  if (project_id !== before.project_id || stage.status_category !== before.status_category) {
    await tx.run(countTask(before.status_category), { project_id: before.project_id, by: -1 })
    await tx.run(countTask(stage.status_category), { project_id, by: 1 })
  }
  await recount(tx, before, { ...after, project_id })
  return tx.one(taskById, { id })
}

function differing(before: object, columns: Partial<Settable>): Partial<Settable> {
  const was = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(Object.entries(columns).filter(([name, is]) => was.get(name) !== is))
}

/** People, tags and blockers that were gained or lost. */
async function link(tx: WriteTx, before: Task, after: Core): Promise<void> {
  const task_id = before.id
  const people = difference(before.assignee_ids, after.assignee_ids)
  for (const user_id of people.gained) await tx.run(assign, { user_id, task_id })
  for (const user_id of people.lost) await tx.run(unassign, { user_id, task_id })
  const tags = difference(before.tag_ids, after.tag_ids)
  for (const tag_id of tags.gained) {
    await tx.run(addTag, { tag_id, task_id })
    await tx.run(countTagged, { tag_id, by: 1 })
  }
  for (const tag_id of tags.lost) {
    await tx.run(dropTag, { tag_id, task_id })
    await tx.run(countTagged, { tag_id, by: -1 })
  }
  const blockers = difference(before.blocked_by_ids, after.blocked_by_ids)
  for (const blocker_id of blockers.gained) await tx.run(addBlocker, { task_id, blocker_id })
  for (const blocker_id of blockers.lost) await tx.run(dropBlocker, { task_id, blocker_id })
  const touched = [...blockers.gained, ...blockers.lost]
  if (touched.length > 0) await refreshDependencies(tx, [task_id, ...touched])
}

/** The counts of the parents: of the one before and the one after, or of the same. */
async function recount(
  tx: WriteTx,
  before: Pick<Task, 'project_id' | 'parent_id' | 'status_category'>,
  after: Pick<Task, 'project_id' | 'parent_id' | 'status_category'>,
): Promise<void> {
  const [was, is] = [before, after].map(({ status_category }) =>
    status_category === 'completed' ? 1 : 0,
  ) as [number, number]
  if (before.parent_id === after.parent_id) {
    if (after.parent_id === null || was === is) return
    await tx.run(countSubtask, { parent_id: after.parent_id, by: 0, completed: is - was })
    noteDerived(tx, after.parent_id, after.project_id)
    return
  }
  if (before.parent_id !== null) {
    await tx.run(countSubtask, { parent_id: before.parent_id, by: -1, completed: -was })
    noteDerived(tx, before.parent_id, before.project_id)
  }
  if (after.parent_id !== null) {
    await tx.run(countSubtask, { parent_id: after.parent_id, by: 1, completed: is })
    noteDerived(tx, after.parent_id, after.project_id)
  }
}
