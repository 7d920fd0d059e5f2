import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAccount } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { dayIn } from '#lib/days.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { foldCase } from '#lib/fold-case.ts'
import { createMembership } from '#resources/members/membership.ts'
import type { Status } from '#resources/projects/contract.ts'
import { createProjectRow } from '#resources/projects/create-project.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { SUMMARY_FIELDS } from '#resources/web-app/project-tasks/contract.ts'
import { createSeededRandom } from '#test/delivery/simulated-time.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Task } from '../../web/src/data/tasks/task-patch.ts'
import {
  type FilterContext,
  resolveMember,
  resolveStatusKeys,
  resolveTag,
} from '../../web/src/features/project-view/filter/filter-query.ts'
import {
  type FilterClause,
  parseFilter,
} from '../../web/src/features/project-view/filter/view-filter.ts'
import {
  createListRules,
  type ListContext,
  type ProjectList,
  type TaskSortKey,
  toProjectList,
} from '../../web/src/features/project-view/grouping/project-list.ts'
import type { GroupBy, ProjectView } from '../../web/src/features/project-view/project-view.ts'
import type { SortBy } from '../../web/src/features/property-definitions.ts'
import { addDaysToDate, startOfWeek } from '../../web/src/lib/dates/plain-date.ts'
import { ListView } from '../../web/src/replica/list-view.ts'

/** A task as the snapshot of a project has it. */
type Row = Pick<Task, (typeof SUMMARY_FIELDS)[number] | 'project_id' | 'status_category'>
type ListedView = Pick<ProjectView, 'filter' | 'group' | 'sort' | 'descending'>

const WEDNESDAY = Date.parse('2030-01-16T21:30:00Z')
const TIMEZONE = 'Europe/Zurich'
const NAMES = ['Zoë Frei', 'ägnes', 'Ömer Kaya', 'anna Berg', 'Anna Zahn', 'Éric']
const TAGS = ['infra', 'Über', 'ufer', 'Zebra', 'äpfel', 'Apfel', 'needs design', 'none yet']
const STATUSES: Omit<Status, 'position'>[] = [
  { key: 'later', name: 'Later', category: 'backlog', color: '#888888' },
  { key: 'open', name: 'To do', category: 'unstarted', color: '#888888' },
  { key: 'doing', name: 'In progress', category: 'started', color: '#888888' },
  { key: 'empty', name: 'Nothing here', category: 'started', color: '#888888' },
  { key: 'done', name: 'Done', category: 'completed', color: '#888888' },
  { key: 'canceled', name: 'Canceled', category: 'canceled', color: '#888888' },
]
const WORDS = ['login', 'Login', 'form', 'Äpfel', 'äpfel', 'zebra', 'Zebra', '日本語', 'b', '7', '']
const GROUPS: readonly GroupBy[] = [
  'status',
  'assignee',
  'priority',
  'tag',
  'due',
  'parent',
  'day',
  'estimate',
  'created',
  'creator',
  'repeat',
  'field.size',
  'none',
]
const SORTS: readonly SortBy[] = [
  ...(['position', 'priority', 'due_date', 'created_at', 'updated_at', 'title', 'number'] as const),
  ...(['status', 'assignee', 'estimate', 'start', 'repeat', 'field.size'] as const),
]
const CLAUSES = [
  'status:open',
  'status:closed',
  'status:=open,doing',
  '-status:done',
  'status:nothing',
  'priority:high,urgent',
  '-priority:none',
  'assignee:me',
  'assignee:none',
  'assignee:"Zoë Frei",none',
  '-assignee:me',
  '-assignee:none',
  '-assignee:anna,none',
  'creator:me',
  '-creator:me',
  'creator:"The member"',
  'tag:none',
  'tag:über,INFRA',
  'tag:unknown',
  '-tag:infra',
  '-tag:none,zebra',
  'parent:none',
  'due:overdue',
  'due:today',
  'due:tomorrow',
  'due:week',
  'due:nextweek',
  'due:none',
  'due:any',
  'due:<7d',
  'due:>1w',
  'due:<2030-01-20',
  'due:2030-01-18',
  'created:<7d',
  'created:>2w',
  'updated:<2d',
  'completed:<3d',
  'completed:>1d',
  'estimate:<2h',
  'estimate:>30m',
  'estimate:none',
  'start:<2030-01-20',
  'start:none',
  'spent:any',
  'repeat:none',
  '-repeat:weekly,none',
  'field.size:none,2.5',
  'field.size:RED',
  '-field.size:yes,large',
]
const TEXT_CLAUSES = ['login', 'äpf', 'form zebra', 'b', 'lst-7']

test('lists tasks as a full computation does, through random changes', async () => {
  const random = createSeededRandom(7)
  const world = await createWorld(random)
  for (const group of GROUPS) {
    for (const sort of SORTS) {
      for (const descending of [false, true])
        compare(world, await openView(world, { filter: [], group, sort, descending }))
    }
  }
  for (let count = 0; count < 40; count++) compare(world, await openView(world, randomView(random)))
  for (let round = 0; round < 6; round++) {
    const views: OpenView[] = []
    for (let count = 0; count < 2; count++) views.push(await openView(world, randomView(random)))
    for (let step = 0; step < 20; step++) {
      const changed = await world.change()
      for (const view of views) {
        await update(world, view, changed)
        compare(world, view)
      }
    }
    await world.renameTag()
  }
})

/** A view and the list that is kept up to date for it. */
interface OpenView {
  view: ListedView
  context: ListContext<Row>
  /** The ids of the tasks that have the words of the filter. */
  matching: Set<string>
  list: ListView<Row, TaskSortKey>
}

async function openView(world: World, view: ListedView): Promise<OpenView> {
  const matching = new Set(await world.search(view))
  const context = { ...world.context(), matches: ({ id }: Row) => matching.has(id) }
  const list = new ListView(createListRules(view, context), world.rows.values())
  return { view, context, matching, list }
}

async function update(world: World, { view, list, matching }: OpenView, ids: readonly string[]) {
  const found = await world.search(view)
  matching.clear()
  for (const id of found) matching.add(id)
  list.update(
    ids,
    (id) => world.rows.get(id) ?? world.elsewhere.get(id),
    () => false,
  )
}

/** Asserts that a view is what a full computation says. */
function compare(world: World, { view, context, list, matching }: OpenView): void {
  const findTask = (id: string) => world.rows.get(id)
  const asked = JSON.stringify(view)
  const shown = toProjectList(list, view, context, findTask)
  assert.deepEqual(shown, computeList([...world.rows.values()], view, context, matching), asked)
  assert.equal(toProjectList(list, view, context, findTask), shown, 'nothing has changed')
}

/** The list of a view by plain filtering, grouping and sorting of all tasks. */
function computeList(
  rows: readonly Row[],
  { filter, group, sort, descending }: ListedView,
  { filterContext, nameOf, includes }: ListContext<Row>,
  matching: ReadonlySet<string>,
): ProjectList {
  const { today, tags, statuses } = filterContext
  const sign = descending ? -1 : 1
  const sortValueOf = (row: Row) => {
    if (sort === 'title') return row.title.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    if (sort === 'priority') return PRIORITIES.indexOf(row.priority)
    if (sort === 'status') return statuses.findIndex(({ key }) => key === row.status)
    if (sort === 'assignee')
      return row.assignee_ids.map((id) => foldCase(nameOf(id) ?? '')).sort()[0] ?? null
    if (sort === 'estimate') return row.estimate_seconds
    if (sort === 'start') return row.start_date
    if (sort === 'repeat') return repetitionOf(row) && REPETITIONS.indexOf(repetitionOf(row) ?? '')
    if (sort === 'field.size') return row.custom_fields.size === undefined ? null : sizeRankOf(row)
    if (['tag', 'project', 'spent', 'completed'].includes(sort))
      throw new Error('not among the orders')
    return row[sort as 'position']
  }
  const included = rows
    .filter((row) => filter.every((clause) => meets(row, clause, filterContext, matching)))
    .sort((a, b) => {
      const [x, y] = [sortValueOf(a), sortValueOf(b)]
      if (x === null || y === null) return Number(x === null) - Number(y === null) || byId()
      return x === y ? byId() : x < y ? -sign : sign
      function byId(): number {
        return a.id < b.id ? -sign : sign
      }
    })
  const numbers = new Map(rows.map(({ id, number }) => [id, number]))
  const parentOf = ({ parent_id }: Row) =>
    parent_id !== null && numbers.has(parent_id) ? parent_id : undefined
  const keysOf = (row: Row): string[] => {
    if (group === 'none') return ['all']
    if (group === 'assignee') return row.assignee_ids.length > 0 ? row.assignee_ids : ['none']
    if (group === 'tag') return row.tag_ids.length > 0 ? row.tag_ids : ['none']
    if (group === 'parent') return [parentOf(row) ?? 'none']
    if (group === 'project') return [row.project_id]
    if (group === 'blocked') return [blockedKey(row)]
    if (group === 'day') return [dayOf(row, today)]
    if (group === 'creator') return [row.created_by_id]
    if (group === 'estimate') return [amountOf(row.estimate_seconds)]
    if (group === 'created') return [ageOf(row.created_at, today)]
    if (group === 'repeat') return [repetitionOf(row) ?? 'none']
    if (group === 'field.size') return sizesOf(row)
    if (group === 'due') return [dueGroupOf(row, today)]
    if (group === 'status' || group === 'priority') return [row[group]]
    throw new Error('not among the groups')
  }
  const rankOf = (key: string): string | number => {
    if (key === 'none') return LAST
    if (group === 'assignee' || group === 'creator') return foldCase(nameOf(key) ?? '')
    if (group === 'tag') return foldCase(tags.find(({ id }) => id === key)?.name ?? '')
    if (group === 'blocked') return key === 'yes' ? 0 : 1
    if (group === 'field.size') return SIZE_KEYS.indexOf(key)
    if (group === 'repeat') return REPETITIONS.indexOf(key)
    if (group === 'created') return ['today', 'week', 'month', 'older'].indexOf(key)
    if (group === 'day') return DAY_RANKS[key] ?? key
    return group === 'parent' ? (numbers.get(key) ?? 0) : GROUP_KEYS.indexOf(key)
  }
  const planned = group === 'day' ? [0, 1, 2, 3, 4, 5, 6].map((n) => addDaysToDate(today, n)) : []
  const keys =
    group === 'status'
      ? statuses.map(({ key }) => key)
      : [...new Set([...planned, ...included.flatMap(keysOf)])].sort((a, b) => {
          const [x, y] = [rankOf(a), rankOf(b)]
          return x === y ? (a < b ? -1 : 1) : x !== LAST && (y === LAST || x < y) ? -1 : 1
        })
  const sumsOf = (some: readonly Row[]) => ({
    estimate_seconds: some.reduce((sum, row) => sum + (row.estimate_seconds ?? 0), 0),
    time_spent_seconds: some.reduce((sum, row) => sum + row.time_spent_seconds, 0),
  })
  const remaining = (some: readonly Row[]) =>
    some
      .filter(isOpen)
      .reduce(
        (sum, row) => sum + Math.max(0, (row.estimate_seconds ?? 0) - row.time_spent_seconds),
        0,
      )
  const parents = included.flatMap((row) => {
    const parent = parentOf(row)
    return parent === undefined ? [] : [[row.id, parent]]
  })
  return {
    total: included.length,
    open: included.filter(isOpen).length,
    overdue: included.filter((row) => isOpen(row) && (row.due_date ?? today) < today).length,
    ...sumsOf(included),
    groups: keys.map((key) => {
      const some = included.filter((row) => keysOf(row).includes(key))
      return {
        key,
        count: some.length,
        ...sumsOf(some),
        remaining_seconds: remaining(some),
        ids: some.map(({ id }) => id),
      }
    }),
    parents: Object.fromEntries(parents),
    includes,
  }
}

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent']
const GROUP_KEYS = ['urgent', 'high', 'medium', 'low'].concat(
  ...['hour', 'half_day', 'day', 'more'],
  ...['overdue', 'today', 'this_week', 'next_week', 'later', 'earlier'],
)
const LAST = '\uffff'
/** Days are ranked by their dates. */
const DAY_RANKS: Record<string, string> = { overdue: '0', later: 'a', earlier: 'b' }

const isOpen = ({ status_category }: Row) => !/completed|canceled/.test(status_category)

function dueGroupOf(row: Row, today: string): string {
  const { due_date: due } = row
  if (due === null) return 'none'
  if (due === today) return 'today'
  if (due < today) return isOpen(row) ? 'overdue' : 'earlier'
  const monday = startOfWeek(today, 1)
  if (due < addDaysToDate(monday, 7)) return 'this_week'
  return due < addDaysToDate(monday, 14) ? 'next_week' : 'later'
}

function amountOf(seconds: number | null): string {
  if (seconds === null) return 'none'
  if (seconds <= 3_600) return 'hour'
  if (seconds <= 4 * 3_600) return 'half_day'
  return seconds <= 8 * 3_600 ? 'day' : 'more'
}

function ageOf(at: string, today: string): string {
  const day = at.slice(0, 10)
  if (day >= today) return 'today'
  if (day > addDaysToDate(today, -7)) return 'week'
  return day > addDaysToDate(today, -30) ? 'month' : 'older'
}

/** None of the blockers is among the tasks of the page, which counts each of them as open. */
const blockedKey = (row: Row) => (isOpen(row) && row.blocked_by_ids.length > 0 ? 'yes' : 'no')

const REPETITIONS = ['daily', 'weekly']
const repetitionOf = ({ recurrence }: Row) =>
  recurrence && (recurrence.rrule.includes('DAILY') ? 'daily' : 'weekly')

/** The values of a custom field in their order: numbers by their amount, then texts. */
const SIZES = [-3, 2.5, 10, 'large', false, ['red', 'blue'], true]
const SIZE_KEYS = ['-3', '2.5', '10', 'blue', 'large', 'no', 'red', 'yes']
function sizesOf({ custom_fields: { size } }: Row): string[] {
  if (typeof size === 'boolean') return [size ? 'yes' : 'no']
  return size === undefined ? ['none'] : [size].flat().map(String)
}
const sizeRankOf = (row: Row): number => SIZE_KEYS.indexOf(sizesOf(row)[0] ?? '')

function dayOf(row: Row, today: string): string {
  const { due_date: due } = row
  if (due === null) return 'none'
  if (due < today) return isOpen(row) ? 'overdue' : 'earlier'
  return due < addDaysToDate(today, 7) ? due : 'later'
}

/** Whether a task meets one condition of a filter. */
function meets(
  row: Row,
  { property, not, values }: FilterClause,
  context: FilterContext,
  matching: ReadonlySet<string>,
): boolean {
  const [value = ''] = values
  const hasAny = (ids: readonly string[], resolve: (word: string) => string | undefined) =>
    values.map(resolve).some((one) => (one === 'none' ? ids.length === 0 : ids.includes(one ?? '')))
  const member = (word: string) => resolveMember(word, context)
  switch (property) {
    case 'text':
      return matching.has(row.id)
    case 'parent':
      return row.parent_id === null
    case 'status':
      return values.flatMap((word) => resolveStatusKeys(word, context)).includes(row.status) !== not
    case 'project':
      return values.includes(row.project_id) !== not
    case 'blocked':
      return values.includes(blockedKey(row)) !== not
    case 'priority':
      return values.includes(row.priority) !== not
    case 'assignee':
      return hasAny(row.assignee_ids, member) !== not
    case 'creator':
      return hasAny([row.created_by_id], member) !== not
    case 'tag':
      return hasAny(row.tag_ids, (word) => resolveTag(word, context)) !== not
    case 'due':
      return meetsDay(row.due_date, value, context.today) && (value !== 'overdue' || isOpen(row))
    case 'start':
      return meetsDay(row.start_date, value, context.today)
    case 'estimate':
      return meetsAmount(row.estimate_seconds, value)
    case 'repeat':
      return values.includes(repetitionOf(row) ?? 'none') !== not
    case 'field.size':
      return values.some((word) => sizesOf(row).includes(word.toLowerCase())) !== not
    case 'spent':
      return meetsAmount(row.time_spent_seconds || null, value)
    default: {
      const at = row[`${property}_at` as 'created_at']
      const since = Math.floor(context.now() / HOUR_MS) * HOUR_MS - parseDays(value) * DAY_MS
      return (
        at !== null && (value.startsWith('<') ? Date.parse(at) >= since : Date.parse(at) < since)
      )
    }
  }
}

const parseDays = (value: string) =>
  Number.parseInt(value.slice(1), 10) * (value.endsWith('w') ? 7 : 1)

function meetsAmount(seconds: number | null, value: string): boolean {
  if (value === 'none' || seconds === null) return value === 'none' && seconds === null
  if (value === 'any') return true
  const limit = { '<2h': 7_200, '>30m': 1_800 }[value] ?? 0
  return value.startsWith('<') ? seconds < limit : seconds > limit
}

function meetsDay(due: string | null, value: string, today: string): boolean {
  if (value === 'none' || due === null) return value === 'none' && due === null
  if (value === 'any') return true
  if (value === 'overdue') return due < today
  if (value === 'today') return due === today
  if (value === 'tomorrow') return due === addDaysToDate(today, 1)
  if (value === 'week') return startOfWeek(due) === startOfWeek(today)
  if (value === 'nextweek') return startOfWeek(due) === addDaysToDate(startOfWeek(today), 7)
  if (/^\d/.test(value)) return due === value
  const day = value.includes('-') ? value.slice(1) : addDaysToDate(today, parseDays(value))
  if (value.startsWith('>')) return due > day
  return due < day && (value.includes('-') || due >= today)
}

const pick = <T>(random: () => number, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T

function randomView(random: () => number): ListedView {
  const clauses = Array.from({ length: Math.floor(random() * 3) }, () => pick(random, CLAUSES))
  if (random() < 0.15) clauses.push(pick(random, TEXT_CLAUSES))
  return {
    filter: parseFilter(clauses.join(' ')),
    group: pick(random, GROUPS),
    sort: pick(random, SORTS),
    descending: random() < 0.5,
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Caller = 'owner' | 'admin' | 'member' | 'session'
type World = Awaited<ReturnType<typeof createWorld>>

/** A project with 300 tasks that were created within 25 days, and ways to change them. */
async function createWorld(random: () => number) {
  const clock = createTestClock()
  clock.set(WEDNESDAY - 25 * DAY_MS)
  const { storage, server, config } = await openTestDocket('sqlite', {}, { clock })
  const team = await createTestWorkspace(storage)
  const inWorkspace = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
  const statuses = STATUSES.map((status, position) => ({ ...status, position }))
  const created_by_id = team.people.owner
  const project = await storage.write(inWorkspace, (tx) =>
    createProjectRow(tx, { name: 'Lists', prefix: 'LST', statuses, created_by_id }),
  )
  const people = await storage.write(inWorkspace, async (tx) => {
    const ids: string[] = [team.people.owner, team.people.admin, team.people.member]
    for (const [at, name] of NAMES.entries()) {
      const account = { email: `list.${at}@example.com`, name, timezone: TIMEZONE }
      const { user_id } = await ensureAccount(tx, account, { password: 'unused', hash: 'unused' })
      await createMembership(tx, { user_id, name, role: 'member' })
      ids.push(user_id)
    }
    return ids
  })
  const call = async (by: Caller, method: Method, url: string, body?: object) => {
    const headers =
      by === 'session' ? session.headers : { authorization: `Bearer ${team.keys[by]}` }
    const reply = await server.inject({ method, url, headers, ...(body && { payload: body }) })
    assert.ok(reply.statusCode < 500, reply.body)
    return { isDone: reply.statusCode < 300, text: reply.body }
  }
  const read = async <T>(by: Caller, url: string): Promise<T> => {
    const { isDone, text } = await call(by, 'GET', url)
    assert.ok(isDone, text)
    return JSON.parse(text)
  }
  let session = await createTestSession(storage, team, 'owner', config.baseUrl)
  const projectPath = `/api/v1/projects/${project}`
  for (const name of TAGS)
    assert.ok((await call('owner', 'POST', `${projectPath}/tags`, { name })).isDone)
  let tags: Tag[] = []
  const readTags = async () => {
    tags = (await read<{ data: Tag[] }>('owner', `${projectPath}/tags?limit=100`)).data
  }
  await readTags()

  const rows = new Map<string, Row>()
  /** Tasks that have left the project, as if all of them had been moved. */
  const elsewhere = new Map<string, Row>()
  const readRows = async (): Promise<string[]> => {
    const { text } = await call('session', 'GET', `/internal/projects/${project}/tasks`)
    const lines = text.trim().split('\n')
    assert.equal(lines.pop(), '{"end":true}')
    const current = new Map(lines.slice(1).flatMap((line) => toRows(JSON.parse(line))))
    const changed = [...new Set([...rows.keys(), ...current.keys()])].filter(
      (id) => JSON.stringify(rows.get(id)) !== JSON.stringify(current.get(id)),
    )
    for (const id of changed) {
      const [row, former] = [current.get(id), rows.get(id)]
      if (row) rows.set(id, row)
      else rows.delete(id)
      if (former) elsewhere.set(id, { ...former, project_id: team.hidden })
    }
    return changed
  }
  const toRows = (columns: Record<string, unknown[]>) =>
    (columns.id ?? []).map((id, at): [string, Row] => {
      const fields = Object.entries(columns).map(([name, values]) => [name, values[at]])
      const row: Row = { ...Object.fromEntries(fields), project_id: project }
      const category = statuses.find(({ key }) => key === row.status)?.category
      return [String(id), { ...row, status_category: category ?? 'unstarted' }]
    })

  const chance = (probability: number) => random() < probability
  const some = (from: readonly string[]) => from.filter(() => chance(1.5 / from.length))
  const anyTask = () => pick(random, [...rows.keys()])
  const anyDay = () =>
    chance(0.3)
      ? null
      : addDaysToDate(dayIn(TIMEZONE, new Date(WEDNESDAY).toISOString()), pick(random, DAYS))
  const active = () => people.filter((id) => id !== former)
  const former = people.at(-1) ?? ''
  let isRemoved = false
  const fieldsByName: Record<string, () => unknown> = {
    title: () => `${pick(random, WORDS)} ${pick(random, WORDS)}`.trim() || 'Untitled',
    description: () => pick(random, [null, 'The login form', 'Something']),
    status: () => pick(random, STATUSES).key,
    priority: () => pick(random, PRIORITIES),
    assignee_ids: () => some(isRemoved ? active() : people),
    tag_ids: () => some(tags.map(({ id }) => id)),
    due_date: anyDay,
    parent_id: () => (chance(0.4) ? null : anyTask()),
    estimate_seconds: () => pick(random, [null, 60, 3_600, 90_000]),
    custom_fields: () => ({ size: pick(random, [null, ...SIZES]) }),
    recurrence: () =>
      pick(random, [
        null,
        { rrule: 'FREQ=WEEKLY;INTERVAL=2', basis: 'completion' },
        { rrule: 'FREQ=DAILY', basis: 'completion' },
      ]),
  }
  const anyFields = (probability: number) =>
    Object.fromEntries(
      Object.entries(fieldsByName)
        .filter(() => chance(probability))
        .map(([name, create]) => [name, create()]),
    )
  const createTask = (by: Caller) =>
    call(by, 'POST', '/api/v1/tasks', {
      ...{ title: 'Untitled', project_id: project, ...anyFields(0.6) },
    })
  const moved: string[] = []
  const changes: ((id: string) => Promise<unknown>)[] = [
    (id) => call('owner', 'PATCH', `/api/v1/tasks/${id}`, anyFields(0.15)),
    (id) => call('owner', 'PATCH', `/api/v1/tasks/${id}`, anyFields(0.4)),
    (id) => call('owner', 'PATCH', `/api/v1/tasks/${id}`, { before_id: anyTask() }),
    (id) => call('owner', 'POST', `/api/v1/tasks/${id}/complete`),
    (id) =>
      call('owner', 'POST', `/api/v1/tasks/${id}/time-entries`, {
        started_at: new Date(clock.now() - HOUR_MS).toISOString(),
        ended_at: new Date(clock.now()).toISOString(),
      }),
    () => createTask(pick(random, ['owner', 'admin', 'member'] as const)),
    (id) => {
      moved.push(id)
      return call('owner', 'DELETE', `/api/v1/tasks/${id}`)
    },
    (id) => {
      moved.push(id)
      return call('owner', 'PATCH', `/api/v1/tasks/${id}`, { project_id: team.hidden })
    },
    async () => {
      const id = moved.shift()
      await call('owner', 'POST', `/api/v1/tasks/${id}/restore`)
      await call('owner', 'PATCH', `/api/v1/tasks/${id}`, { project_id: project })
    },
  ]

  for (let count = 0; count < 300; count++) {
    await createTask(pick(random, ['owner', 'admin', 'member'] as const))
    clock.advance(chance(0.3) ? 0 : Math.floor((random() * 5 * DAY_MS) / 60))
    // Parents are chosen among the tasks so far.
    if (count % 20 === 0) await readRows()
  }
  clock.set(WEDNESDAY)
  session = await createTestSession(storage, team, 'owner', config.baseUrl)
  assert.ok((await call('session', 'DELETE', `/internal/members/${former}`)).isDone)
  isRemoved = true
  await readRows()
  assert.ok([...rows.values()].some(({ assignee_ids }) => assignee_ids.includes(former)))
  const members = (
    await read<{ data: { id: string; name: string }[] }>(
      'owner',
      '/api/v1/workspace/members?status=all&limit=100',
    )
  ).data

  return {
    rows,
    elsewhere,
    context: (): Omit<ListContext<Row>, 'matches'> => ({
      includes: (task) => task.project_id === project,
      nameOf: (user_id) => members.find(({ id }) => id === user_id)?.name,
      filterContext: {
        statuses,
        members: members.filter(({ id }) => id !== former),
        tags,
        projects: [],
        me: team.people.owner,
        today: dayIn(TIMEZONE, new Date(clock.now()).toISOString()),
        now: clock.now,
      },
    }),
    /** The ids of the tasks that have the words of a filter, if it has any. */
    async search({ filter }: ListedView): Promise<string[]> {
      const [q] = filter.find(({ property }) => property === 'text')?.values ?? []
      if (q === undefined) return []
      const found: string[] = []
      let cursor = ''
      do {
        const search = new URLSearchParams({ q, limit: '100', ...(cursor && { cursor }) })
        const page = await read<{ data: Task[]; next_cursor: string | null }>(
          'owner',
          `${projectPath}/tasks?${search}`,
        )
        found.push(...page.data.map(({ id }) => id))
        cursor = page.next_cursor ?? ''
      } while (cursor !== '')
      return found
    },
    /** Changes something, and returns the ids of the tasks that are different afterwards. */
    async change(): Promise<string[]> {
      clock.advance(pick(random, [0, 0, 1, 60_000]))
      await pick(random, changes)(anyTask())
      return readRows()
    },
    async renameTag(): Promise<void> {
      const body = { name: `${pick(random, ['a', 'Z', 'ä', 'Ö'])} ${random()}` }
      assert.ok(
        (await call('owner', 'PATCH', `/api/v1/tags/${pick(random, tags).id}`, body)).isDone,
      )
      await readTags()
    },
  }
}

/** Days from the present one at which tasks are due. */
const DAYS = [-400, -3, -1, 0, 0, 1, 3, 4, 5, 11, 12, 40]
