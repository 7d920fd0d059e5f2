import type { LinesOperation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { fromJson, toJson } from '#lib/json.ts'
import { feedState, historyOf } from '#resources/changes/store.ts'
import { loadProject } from '#resources/projects/load.ts'
import { parseStatuses } from '#resources/tasks/load.ts'
import {
  type getProjectTasks,
  type ProjectTasksHead,
  SUMMARY_FIELDS,
  type TaskColumns,
} from './contract.ts'
import { allTagsOfProject, taskCount, tasksOfStatus } from './store.ts'

const TASKS_PER_LINE = 1_000
const CLOSED: readonly string[] = ['completed', 'canceled']

/**
 * Each line is read by itself, so that a large project holds nobody up. Whatever changes between two
 * lines has a greater number than that of the head, so the page hears of it afterwards.
 */
export const readProjectTasks: LinesOperation<typeof getProjectTasks> = async function* (
  read,
  { params: { id } },
) {
  const { head, statuses } = await read(async (tx) => readHead(tx, id))
  yield toJson(head)
  for (const status of statuses) {
    let after = ''
    do {
      const rows = await read(async (tx) => {
        await loadProject(tx, id)
        return tx.all(tasksOfStatus, { project_id: id, status, after, limit: TASKS_PER_LINE })
      })
      if (rows.length > 0) yield toJson(toColumns(rows))
      after = rows.length === TASKS_PER_LINE ? (rows.at(-1)?.id ?? '') : ''
    } while (after !== '')
  }
  yield toJson({ end: true })
}

async function readHead(tx: ReadTx, project_id: string) {
  // Asked for first, so that nothing that follows can lack a change up to this number.
  const state = await tx.one(feedState, {})
  const project = await loadProject(tx, project_id)
  const { total = 0 } = (await tx.one(taskCount, { project_id })) ?? {}
  const tags = await tx.all(allTagsOfProject, { project_id })
  const head: ProjectTasksHead = {
    change_number: state?.newest ?? 0,
    history: state ? historyOf(state) : '',
    total,
    tags: tags.map(({ json }) => fromJson(json)),
  }
  const statuses = parseStatuses(project.statuses)
    .toSorted((a, b) => Number(CLOSED.includes(a.category)) - Number(CLOSED.includes(b.category)))
    .map(({ key }) => key)
  return { head, statuses }
}

/** Turns rows into columns, which compress to half: what resembles each other stands together. */
function toColumns(rows: readonly Readonly<Record<keyof TaskColumns, unknown>>[]) {
  return Object.fromEntries(
    SUMMARY_FIELDS.map((name) => {
      const isJson = name.endsWith('_ids')
      return [name, rows.map((row) => (isJson ? JSON.parse(String(row[name])) : row[name]))]
    }),
  )
}
