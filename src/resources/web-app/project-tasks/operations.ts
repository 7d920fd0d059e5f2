import type { LinesOperation, Operation, RecordLoader } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { fromJson, type Json, toJson } from '#lib/json.ts'
import { feedState, historyOf } from '#resources/changes/store.ts'
import { loadProject, loadProjectByIdOrPrefix } from '#resources/projects/load.ts'
import { TASK_FIELDS } from '#resources/tasks/fields.ts'
import { readTaskFilters } from '#resources/tasks/filters/list-query.ts'
import { parseStatuses } from '#resources/tasks/load.ts'
import {
  type getOpenTasks,
  type getProjectMatches,
  type getProjectTasks,
  MAX_OPEN_TASKS,
  type OpenTasksHead,
  type ProjectMatches,
  type ProjectTasksHead,
  SUMMARY_FIELDS,
  type TaskColumns,
} from './contract.ts'
import {
  allTagsOfProject,
  matchingNumbers,
  openProjects,
  taskCount,
  tasksOfStatus,
} from './store.ts'

const TASKS_PER_LINE = 1_000
const CLOSED: readonly string[] = ['completed', 'canceled']

/**
 * Each line is read by itself, so that a large project holds nobody up. Whatever changes between two
 * lines has a greater number than that of the head, so the page hears of it afterwards.
 */
export const readProjectTasks: LinesOperation<typeof getProjectTasks> = async function* (
  read,
  { params },
) {
  const { head, statuses } = await read(async (tx) => readHead(tx, params.id))
  // Another project may get the prefix before the last line.
  const { project_id } = head
  yield toJson(head)
  for (const status of statuses) {
    let after = ''
    do {
      const rows = await read(async (tx) => {
        await loadProject(tx, project_id)
        return tx.all(tasksOfStatus, { project_id, status, after, limit: TASKS_PER_LINE })
      })
      if (rows.length > 0) yield toJson(toColumns(rows))
      after = rows.length === TASKS_PER_LINE ? (rows.at(-1)?.id ?? '') : ''
    } while (after !== '')
  }
  yield toJson({ end: true })
}

async function readHead(tx: ReadTx, name: string) {
  // Asked for first, so that nothing that follows can lack a change up to this number.
  const state = await tx.one(feedState, {})
  const project = await loadProjectByIdOrPrefix(tx, name)
  const { id: project_id } = project
  const { total = 0 } = (await tx.one(taskCount, { project_id })) ?? {}
  const tags = await tx.all(allTagsOfProject, { project_id })
  const head: ProjectTasksHead = {
    project_id,
    change_number: state?.newest ?? 0,
    history: state ? historyOf(tx.actor, state) : '',
    total,
    tags: tags.map(({ json }) => fromJson(json)),
  }
  const statuses = parseStatuses(project.statuses)
    .toSorted((a, b) => Number(CLOSED.includes(a.category)) - Number(CLOSED.includes(b.category)))
    .map(({ key }) => key)
  return { head, statuses }
}

/** The next tasks of a status of a project. */
interface OpenTasksCursor {
  project_id: string
  status: string
  after: string
}

/** As `readProjectTasks`, of the open tasks in all projects. Small projects share a line. */
export const readOpenTasks: LinesOperation<typeof getOpenTasks> = async function* (read) {
  const { head, cursors } = await read(readOpenHead)
  yield toJson(head)
  while (cursors.length > 0) {
    const rows = await read((tx) => readNextOpenTasks(tx, cursors))
    if (rows.length > 0) yield toJson(toColumns(rows, ['project_id', ...SUMMARY_FIELDS]))
  }
  yield toJson({ end: true })
}

async function readOpenHead(tx: ReadTx) {
  // Asked for first, so that nothing that follows can lack a change up to this number.
  const state = await tx.one(feedState, {})
  const projects = await tx.all(openProjects, {})
  const omitted_project_ids: string[] = []
  const cursors: OpenTasksCursor[] = []
  let count = 0
  for (const { id, statuses, open } of projects.toSorted((a, b) => a.open - b.open)) {
    count += open
    if (count > MAX_OPEN_TASKS) omitted_project_ids.push(id)
    else if (open > 0)
      for (const { key, category } of parseStatuses(statuses))
        if (!CLOSED.includes(category)) cursors.push({ project_id: id, status: key, after: '' })
  }
  const head: OpenTasksHead = {
    change_number: state?.newest ?? 0,
    history: state ? historyOf(tx.actor, state) : '',
    omitted_project_ids,
  }
  return { head, cursors }
}

/** Statements of a line, since each status of a project takes one: other requests wait for a line. */
const STATEMENTS_PER_LINE = 50

/** Reads a line of tasks, and takes from the cursors what it has read to the end. */
async function readNextOpenTasks(tx: ReadTx, cursors: OpenTasksCursor[]) {
  const rows: SummaryRow[] = []
  for (let reads = 0; reads < STATEMENTS_PER_LINE && rows.length < TASKS_PER_LINE; reads += 1) {
    const [cursor] = cursors
    if (!cursor) break
    const some = await tx.all(tasksOfStatus, { ...cursor, limit: TASKS_PER_LINE })
    rows.push(...some)
    cursor.after = some.at(-1)?.id ?? ''
    if (some.length < TASKS_PER_LINE) cursors.shift()
  }
  return rows
}

type SummaryRow = Readonly<Record<'project_id' | keyof TaskColumns, unknown>> & { id: string }

/** Turns rows into columns, which compress to half: what resembles each other stands together. */
function toColumns(
  rows: readonly SummaryRow[],
  fields: readonly (keyof SummaryRow)[] = SUMMARY_FIELDS,
) {
  return Object.fromEntries(
    fields.map((name) => {
      const isJson = TASK_FIELDS[name].column === 'json'
      return [name, rows.map((row) => (isJson ? JSON.parse(String(row[name])) : row[name]))]
    }),
  )
}

type SearchedProject = Awaited<ReturnType<typeof loadProject>>

export const loadProjectToSearch: RecordLoader<typeof getProjectMatches, SearchedProject> = (
  tx,
  { params },
) => loadProjectByIdOrPrefix(tx, params.id)

export const readMatches: Operation<typeof getProjectMatches, SearchedProject> = async (
  tx,
  project,
  { query },
) => {
  const { selection, values } = await readTaskFilters(tx, query, project)
  const found = await tx.one(matchingNumbers(selection), values)
  // The database builds the list, so that 10,000 numbers are never parsed and serialized.
  return `{"numbers":${found?.numbers ?? '[]'}}` as Json<ProjectMatches>
}
