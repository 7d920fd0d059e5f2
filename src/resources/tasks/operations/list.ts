import { invalidParameter } from '#core/refusal.ts'
import type { Asked, Operation, Subject } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { loadProject } from '#resources/projects/load.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { indexed } from '#storage/words.ts'
import type { listTasks, listTasksOfProject } from '../contract.ts'
import { fewOf, LAST } from '../few.ts'
import { PRIORITIES } from '../fields.ts'
import { type Filter, type Filters, type Selection, type Shape, tasksWhere } from '../listed.ts'
import { idOfShortId } from '../load.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** What tasks are sorted by; the id stands for the time of creation. */
const SORTED_BY: Record<string, string | null> = {
  position: 'tasks.position',
  created_at: null,
  updated_at: 'tasks.updated_at',
  due_date: 'tasks.due_date',
  priority: 'tasks.priority_rank',
  number: 'tasks.number',
}

type Project = Awaited<ReturnType<typeof loadProject>>
export type Query = Asked<typeof listTasks>['query'] | Asked<typeof listTasksOfProject>['query']

export const projectToList: Subject<typeof listTasksOfProject, Project> = (
  tx,
  { params, query },
) => {
  refuseLoneId(query)
  return loadProject(tx, params.id)
}

export const ofProject: Operation<typeof listTasksOfProject, Project> = async (
  tx,
  project,
  asked,
) => {
  const given = { ...(await filtersOf(tx, asked.query)), project_id: project.id }
  return list(tx, asked, given)
}

export const ofWorkspace: Operation<typeof listTasks> = async (tx, _, asked) => {
  const { query } = asked
  refuseLoneId(query)
  const given: Given = await filtersOf(tx, query)
  if (query.project_id) given.projects = query.project_id
  if (query.id) given.ids = query.id
  return list(tx, asked, given)
}

export function refuseLoneId({ external_id, external_source }: Query): void {
  if (external_id === undefined || external_source !== undefined) return
  throw invalidParameter('external_id', 'external_id goes only together with external_source.')
}

type Given = Partial<Filters>

async function list(
  tx: ReadTx,
  { query, page }: Pick<Asked<typeof listTasks>, 'page'> & { query: Query },
  filters: Given,
) {
  const { selection, values, isFew } = await selectionOf(tx, query, filters)
  const shape: Shape = {
    ...selection,
    order: { ...orderOf(page, SORTED_BY[page.sort] ?? null), ...(isFew && { sorted: true }) },
    ...(page.sort === 'due_date' && { part: partOf(page.after) }),
  }
  return page.cut(await tx.all(tasksWhere(shape), { ...values, ...windowOf(page) }))
}

/** What a query asks for, as the shape of a statement and the values that it binds. */
export async function selectionOf(tx: ReadTx, query: Query, filters: Given) {
  const { q, completed, deleted = 'exclude', parent_id, assignee_id, tag_id } = query
  const unassigned = assignee_id?.includes('none') === true
  const untagged = tag_id?.includes('none') === true
  const given = await narrowed(tx, filters, { unassigned, untagged })
  const selection: Selection = {
    filters: (Object.keys(given) as (keyof Filters)[])
      .filter((name): name is Filter => name !== 'searched_id')
      .toSorted(),
    deleted,
    ...(completed !== undefined && { completed }),
    ...(unassigned && { unassigned }),
    ...(untagged && { untagged }),
    ...(parent_id === 'none' && { topLevel: true }),
    ...(given.search !== undefined && given.searched_id !== undefined && { byShortId: true }),
    ...(q !== undefined && filters.search === undefined && { nothing: true }),
  }
  const trash_since = timestampOf(tx.instant - tx.settings.trashDays * DAY_MS)
  const values: Filters = { ...NONE, ...given, trash_since }
  return { selection, values, isFew: given.few !== undefined }
}

/** With the tasks themselves beside a filter that leaves few, if there is one without alternatives. */
async function narrowed(
  tx: ReadTx,
  filters: Given,
  { unassigned, untagged }: { unassigned: boolean; untagged: boolean },
): Promise<Given> {
  const names = new Set(Object.keys(filters))
  if (unassigned) names.delete('assignees')
  if (untagged) names.delete('tags')
  const found = await fewOf(tx, { ...NONE, ...filters }, names)
  if (!found) return filters
  const { searched_id } = filters
  const named = found.searched && searched_id !== undefined ? [searched_id] : []
  // The filter stays beside them: on PostgreSQL a task may cease to match between the two statements.
  return { ...filters, few: [...found.ids, ...named] }
}

/** Where a page sorted by due date begins: among the tasks with one, or already among those without. */
function partOf(after: readonly unknown[] | undefined) {
  return after !== undefined && after[0] === null ? 'undue' : 'both'
}

/** The filters that are given, by their values. */
export async function filtersOf(tx: ReadTx, query: Query): Promise<Given> {
  const { status, status_category, created_by_id, priority, assignee_id, tag_id, parent_id, q } =
    query
  const plain: Given = {}
  for (const name of PLAIN) {
    const value = query[name]
    if (value !== undefined) plain[name] = value
  }
  const me = (ids: readonly string[]) =>
    ids.map((id) => (id === 'me' ? (tx.actor.user_id ?? '') : id))
  const named = (ids: readonly string[] | undefined) => ids?.filter((id) => id !== 'none') ?? []
  const [assignees, tags] = [me(named(assignee_id)), named(tag_id)]
  const search = q === undefined ? '' : indexed(tx.actor.workspace_id, q)
  const searched_id = q === undefined ? undefined : await idOfShortId(tx, q.trim())
  return {
    ...plain,
    ...(status && { status }),
    ...(status_category && { status_category }),
    ...(priority && { ranks: priority.map((one) => PRIORITIES.indexOf(one)) }),
    ...(created_by_id && { created_by: me(created_by_id) }),
    ...(assignees.length > 0 && { assignees }),
    ...(tags.length > 0 && { tags }),
    ...(parent_id !== undefined && parent_id !== 'none' && { parent_id }),
    ...(search !== '' && { search }),
    ...(searched_id !== undefined && { searched_id }),
  }
}

const PLAIN = [
  'due_after',
  'due_before',
  'created_after',
  'created_before',
  'updated_since',
  'completed_after',
  'completed_before',
  'external_source',
  'external_id',
] as const

/** A statement binds only the filters that its shape has; these stand for the others. */
const NONE: Filters = {
  project_id: '',
  projects: [],
  ids: [],
  status: [],
  status_category: [],
  assignees: [],
  created_by: [],
  tags: [],
  ranks: [],
  parent_id: '',
  due_after: '',
  due_before: LAST,
  created_after: '',
  created_before: LAST,
  updated_since: '',
  completed_after: '',
  completed_before: LAST,
  external_source: '',
  external_id: '',
  search: '',
  searched_id: '',
  few: [],
  trash_since: '',
}
