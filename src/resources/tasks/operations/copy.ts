import { conflict } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { fromJson } from '#lib/json.ts'
import { activeMembersSeeing } from '#resources/members/seeing.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import type { Setting } from '../core.ts'
import type { Task } from '../fields.ts'
import { type copyTask, MOST_AT_ONCE } from '../internal.ts'
import type { TaskToWrite } from '../load.ts'
import { descendants, tasksAmong } from '../related.ts'
import { defaultStatus } from '../rules/status.ts'
import { settingOf } from '../setting.ts'
import { liveTasks } from '../shown.ts'
import { makeTree, type Seed } from '../tree.ts'

export const copy: Operation<typeof copyTask, TaskToWrite> = async (tx, task, { body }) => {
  refuseArchived(task)
  const { subtasks = true, keep_status = false } = body
  const setting = await settingOf(tx, task.project_id)
  if (!setting) throw new Error('A task of a project that is not there')
  const tree = await treeOf(tx, task.record, subtasks)
  const { parent_id, position, id } = task.record
  const [above] = parent_id === null ? [] : await tx.all(tasksAmong, { ids: [parent_id] })
  return makeTree(tx, setting, await seedsOf(tx, setting, tree, keep_status), {
    parent_id: above?.id ?? null,
    place: { side: 'after', beside: { id, position } },
  })
}

/** A task and, if wanted, all below it: each after the one above, in the order in which they stand. */
export async function treeOf(tx: ReadTx, top: Task, whole: boolean): Promise<Task[]> {
  const below = whole ? await tx.all(descendants, { id: top.id }) : []
  if (below.length >= MOST_AT_ONCE) {
    throw conflict('limit_reached', `At most ${MOST_AT_ONCE} tasks are copied together.`)
  }
  if (below.length === 0) return [top]
  const rows = await tx.all(liveTasks, { ids: below.map(({ id }) => id) })
  const tasks = rows.map(({ json }) => fromJson(json))
  const children = Map.groupBy(tasks, ({ parent_id }) => parent_id)
  const under = ({ id }: Task): Task[] =>
    (children.get(id) ?? [])
      .toSorted((a, b) => (a.position < b.position ? -1 : 1))
      .flatMap((task) => [task, ...under(task)])
  return [top, ...under(top)]
}

async function seedsOf(
  tx: WriteTx,
  { project_id, statuses }: Setting,
  tree: readonly Task[],
  keep_status: boolean,
): Promise<Seed[]> {
  const people = new Set(tree.flatMap(({ assignee_ids }) => assignee_ids))
  const seeing = await activeMembersSeeing(tx, project_id, [...people])
  const { key: first } = defaultStatus(statuses)
  const places = placesOf(tree)
  return tree.map((task, at) => ({
    core: {
      ...task,
      status: keep_status ? task.status : first,
      assignee_ids: task.assignee_ids.filter((id) => seeing.has(id)),
      recurrence: null,
      external_source: null,
      external_id: null,
      metadata: {},
    },
    ...places(task, at),
  }))
}

/** Where in a tree the parent of a task stands, and what of the tree it waits for. */
export function placesOf(tree: readonly Task[]) {
  const at = new Map(tree.map(({ id }, place) => [id, place]))
  return ({ parent_id, blocked_by_ids }: Task, place: number) => ({
    parent: place === 0 ? null : (at.get(parent_id ?? '') ?? 0),
    blocked_by: blocked_by_ids.flatMap((id) => at.get(id) ?? []),
  })
}
