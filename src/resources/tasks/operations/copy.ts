import { conflict } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { fromJson } from '#lib/json.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import type { Task } from '../fields.ts'
import { type copyTask, MAX_TREE_TASKS } from '../internal.ts'
import { loadProjectContext, type TaskToWrite } from '../load.ts'
import { defaultStatus, loadDescendants } from '../rules/rules.ts'
import { visibleTasksByIds } from '../statements/related.ts'
import { undeletedTasksByIds } from '../task-json.ts'
import type { TaskProjectContext } from '../writing/change-task.ts'
import { createTaskTree, type TaskSeed } from '../writing/create-task.ts'

export const copy: Operation<typeof copyTask, TaskToWrite> = async (tx, task, { body }) => {
  assertNotArchived(task)
  const { subtasks = true, keep_status = false } = body
  const context = await loadProjectContext(tx, task.project_id)
  if (!context) throw new Error('A task of a project that is not there')
  const tree = await loadTaskTree(tx, task.record, subtasks)
  const { parent_id, position, id } = task.record
  const [parent] = parent_id === null ? [] : await tx.all(visibleTasksByIds, { ids: [parent_id] })
  return createTaskTree(tx, context, await toSeeds(tx, context, tree, keep_status), {
    parent_id: parent?.id ?? null,
    placement: { side: 'after', beside: { id, position } },
  })
}

/** A task with, optionally, its subtasks: each after its parent, sorted by position. */
export async function loadTaskTree(
  tx: ReadTx,
  top: Task,
  includeSubtasks: boolean,
): Promise<Task[]> {
  const subtasks = includeSubtasks ? await loadDescendants(tx, top.id, MAX_TREE_TASKS) : []
  if (subtasks.length >= MAX_TREE_TASKS) {
    throw conflict(
      'limit_reached',
      `A copy can have at most ${MAX_TREE_TASKS} tasks. Copy a smaller subtree.`,
    )
  }
  if (subtasks.length === 0) return [top]
  const rows = await tx.all(undeletedTasksByIds, { ids: subtasks.map(({ id }) => id) })
  const tasks = rows.map(({ json }) => fromJson(json))
  const children = Map.groupBy(tasks, ({ parent_id }) => parent_id)
  const subtreeOf = ({ id }: Task): Task[] =>
    (children.get(id) ?? [])
      .toSorted((a, b) => (a.position < b.position ? -1 : 1))
      .flatMap((task) => [task, ...subtreeOf(task)])
  return [top, ...subtreeOf(top)]
}

async function toSeeds(
  tx: WriteTx,
  { project_id, statuses }: TaskProjectContext,
  tree: readonly Task[],
  keep_status: boolean,
): Promise<TaskSeed[]> {
  const assigneeIds = new Set(tree.flatMap(({ assignee_ids }) => assignee_ids))
  const withAccess = await findMembersWithAccess(tx, project_id, [...assigneeIds])
  const { key: firstStatus } = defaultStatus(statuses)
  const referencesOf = indexTree(tree)
  return tree.map((task, index) => ({
    fields: {
      ...task,
      status: keep_status ? task.status : firstStatus,
      assignee_ids: task.assignee_ids.filter((id) => withAccess.has(id)),
      recurrence: null,
      external_source: null,
      external_id: null,
      metadata: {},
    },
    ...referencesOf(task, index),
  }))
}

/** Returns a function that gives the parent and the blockers of a task as indexes of the tree. */
export function indexTree(tree: readonly Task[]) {
  const indexById = new Map(tree.map(({ id }, index) => [id, index]))
  return ({ parent_id, blocked_by_ids }: Task, index: number) => ({
    parent: index === 0 ? null : (indexById.get(parent_id ?? '') ?? 0),
    blocked_by: blocked_by_ids.flatMap((id) => indexById.get(id) ?? []),
  })
}
