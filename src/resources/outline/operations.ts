import type { Asked, Operation, Subject } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { addDays, dayIn, dayNumber } from '#lib/days.ts'
import { type Json, toJson } from '#lib/json.ts'
import { loadProject } from '#resources/projects/load.ts'
import { filtersOf, refuseLoneId, selectionOf } from '#resources/tasks/operations/list.ts'
import type { getOutline, getRows, Outline } from './contract.ts'
import {
  blocksOf,
  groupsOf,
  parentsOf,
  rowsByNumber,
  type Sort,
  type Sums,
  spansOf,
  sumsOf,
  type Unlike,
} from './store.ts'

type Project = Awaited<ReturnType<typeof loadProject>>
type Query = Asked<typeof getOutline>['query']

export const projectToOutline: Subject<typeof getOutline, Project> = (tx, { params, query }) => {
  const { external_source, external_id } = query
  refuseLoneId({
    ...(external_source !== undefined && { external_source }),
    ...(external_id !== undefined && { external_id }),
  })
  return loadProject(tx, params.id)
}

export const outline: Operation<typeof getOutline, Project> = async (tx, project, { query }) => {
  // Asked first: what changes after it is told, and read again.
  const notice = await tx.newestNotice()
  const { group = 'none', sort = 'position', due, rows: wanted = 0, spans, ...filters } = query
  const given = { ...(await filtersOf(tx, filters)), project_id: project.id }
  const { selection, values } = await selectionOf(tx, filters, given)
  const unsorted = { ...selection, without: withoutOf(query), ...(due && { due }) }
  const all = { ...values, ...unlikeOf(tx, query) }
  const order = { sort: sort.replace('-', '') as Sort, descending: sort.startsWith('-') }
  const groups = await tx.all(groupsOf({ ...unsorted, group, ...order }), all)
  const parents = await tx.all(parentsOf(unsorted), all)
  const several = group === 'assignee' || group === 'tag'
  const sums = several ? await tx.one(sumsOf(unsorted), all) : summed(groups)
  const shown = inOrder(groups, group, JSON.parse(project.statuses) as { key: string }[])
  // The lists of numbers are JSON as they come: 10,000 of them are never made objects and text again.
  const texts = shown.map(
    ({ numbers, open: _, overdue: __, ...rest }) =>
      `${JSON.stringify(rest).slice(0, -1)},"numbers":${numbers}}`,
  )
  const pairs = parents.flatMap(({ number, parent }) => (parent === null ? [] : [[number, parent]]))
  const tail = toJson({ parents: Object.fromEntries(pairs), notice }).slice(1)
  const first = wanted > 0 ? `"rows":[${await rowsOf(tx, project, firstOf(shown, wanted))}],` : ''
  const places = spans
    ? toJson(
        placesOf(
          await tx.all(spansOf(unsorted), all),
          (await tx.all(blocksOf(unsorted), all)).filter(
            (one) => one.project_id === project.id && one.deleted_at === null,
          ),
        ),
      ).slice(1, -1)
    : ''
  const { count: total, ...rest } = sums ?? NOTHING
  const head = toJson({ total, ...rest }).slice(0, -1)
  return `${head},"groups":[${texts.join(',')}],${first}${places && `${places},`}${tail}` as Json<Outline>
}

interface Span {
  number: number
  start_date: string | null
  due_date: string | null
}

/** Days as numbers: 10,000 of them take half the room that they take as texts. */
function placesOf(own: readonly Span[], links: readonly (Span & { blocker: number })[]) {
  const all = new Map<number, (number | null)[]>()
  const add = (number: number, { start_date, due_date }: Span) =>
    all.set(number, [
      number,
      ...[start_date, due_date].map((day) => (day === null ? null : dayNumber(day))),
    ])
  for (const link of links) if (link.start_date ?? link.due_date) add(link.blocker, link)
  for (const span of own) add(span.number, span)
  return { spans: [...all.values()], blocks: links.map(({ blocker, number }) => [blocker, number]) }
}

/** The numbers of the first tasks as they are shown, without a look at the thousands after them. */
function firstOf(groups: readonly Group[], count: number): number[] {
  const first = new Set<number>()
  for (const { numbers } of groups) {
    if (first.size >= count) break
    const some = numbers.slice(1, -1).split(',', count - first.size)
    for (const number of some) if (number !== '') first.add(Number(number))
  }
  return [...first]
}

interface Group extends Sums {
  key: string
  numbers: string
}

const NOTHING = { count: 0, open: 0, overdue: 0, estimate_seconds: 0, time_spent_seconds: 0 }

/** Of groups in which each task stands once. */
const summed = (groups: readonly Group[]): Sums =>
  groups.reduce<Sums>(
    (all, one) => ({
      count: all.count + one.count,
      open: all.open + one.open,
      overdue: all.overdue + one.overdue,
      estimate_seconds: all.estimate_seconds + one.estimate_seconds,
      time_spent_seconds: all.time_spent_seconds + one.time_spent_seconds,
    }),
    NOTHING,
  )

const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none']
const DUE = ['overdue', 'today', 'this_week', 'next_week', 'later', 'none']

/** Groups of a fixed set stand in its order, a status without tasks too; others as they were read. */
function inOrder(groups: readonly Group[], by: string, statuses: { key: string }[]): Group[] {
  const fixed = { status: statuses.map(({ key }) => key), priority: PRIORITIES, due: DUE }[by]
  if (!fixed) return [...groups]
  const found = new Map(groups.map((group) => [group.key, group]))
  return fixed.flatMap((key) => found.get(key) ?? (by === 'status' ? [emptyGroup(key)] : []))
}

const emptyGroup = (key: string): Group => ({ key, ...NOTHING, numbers: '[]' })

function withoutOf({ not_assignee_id, not_tag_id, not_created_by_id }: Query) {
  const some = (ids: readonly string[] | undefined) => ids?.some((id) => id !== 'none') === true
  const none = (ids: readonly string[] | undefined) => ids?.includes('none') === true
  return {
    ...(some(not_assignee_id) && { assignees: true }),
    ...(none(not_assignee_id) && { unassigned: true }),
    ...(some(not_tag_id) && { tags: true }),
    ...(none(not_tag_id) && { untagged: true }),
    ...(not_created_by_id && { creators: true }),
  }
}

/** What is unlike the tasks wanted, and the days at which groups begin, in the person's own zone. */
function unlikeOf(tx: ReadTx, query: Query): Unlike {
  const today = dayIn(tx.actor.timezone, tx.now)
  // Day 0 was a Thursday: weeks begin on Mondays.
  const monday = addDays(today, -((dayNumber(today) + 3) % 7))
  return {
    not_assignees: query.not_assignee_id ?? [],
    not_tags: query.not_tag_id ?? [],
    not_created_by: query.not_created_by_id ?? [],
    ...{ today, tomorrow: addDays(today, 1) },
    ...{ next_week: addDays(monday, 7), later: addDays(monday, 14) },
  }
}

export const projectToRead: Subject<typeof getRows, Project> = (tx, { params }) =>
  loadProject(tx, params.id)

export const rows: Operation<typeof getRows, Project> = async (tx, project, { query }) => {
  const numbers = (query.numbers ?? []).map(Number)
  return `{"data":[${await rowsOf(tx, project, numbers)}]}` as Json<{ data: [] }>
}

/** Tasks as JSON, in the order of their numbers. */
async function rowsOf(tx: ReadTx, { id }: Project, numbers: number[]): Promise<string> {
  const found = await tx.all(rowsByNumber, { project_id: id, numbers })
  const texts = new Map(found.map(({ number, json }) => [number, json]))
  return numbers.flatMap((number) => texts.get(number) ?? []).join(',')
}
