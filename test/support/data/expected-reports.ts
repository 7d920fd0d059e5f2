import type { Role } from '#wire/rights.ts'

/** Returns a request function that uses the session of the person with this role. */
export type RoleRequester = (role: Role) => Promise<SessionRequest>
/** Requests something, and returns the body of the reply as the type that the caller expects. */
export type SessionRequest = <T>(
  url: string,
  method?: 'GET' | 'PATCH',
  payload?: object,
) => Promise<T>

type ReportStatusCategory = 'backlog' | 'unstarted' | 'started' | 'completed' | 'canceled'

interface ReportTask {
  id: string
  short_id: string
  title: string
  project_id: string
  status_category: ReportStatusCategory
  assignee_ids: string[]
  tag_ids: string[]
  created_at: string
  completed_at: string | null
  estimate_seconds: number | null
  time_spent_seconds: number
}

interface ReportTimeEntry {
  id: string
  task_id: string
  user_id: string
  spent_on: string
  duration_seconds: number
  billable: boolean
  note: string | null
}

interface CategoryTurn {
  at: string
  from: ReportStatusCategory
  to: ReportStatusCategory
}

interface ReportActivity {
  at: string
  changes: { status_category?: Omit<CategoryTurn, 'at'> }
}

interface RecordPage<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

/** All tasks, time entries, tags and status changes that a person can read. */
export interface ReportSourceData {
  tasks: ReportTask[]
  entries: ReportTimeEntry[]
  tagNames: Map<string, string>
  categoryChanges: Map<string, CategoryTurn[]>
  now: string
}

/** Reads all of them, page by page. */
export async function readReportSourceData(
  ask: SessionRequest,
  now: string,
): Promise<ReportSourceData> {
  const list = async <T>(url: string) => {
    const found: T[] = []
    for (let cursor = ''; ; ) {
      const page = await ask<RecordPage<T>>(
        `${url}${url.includes('?') ? '&' : '?'}limit=200${cursor}`,
      )
      found.push(...page.data)
      if (!page.has_more) return found
      cursor = `&cursor=${page.next_cursor}`
    }
  }
  const tasks = await list<ReportTask>('/api/v1/tasks')
  const entries: ReportTimeEntry[] = []
  const turns = new Map<string, CategoryTurn[]>()
  for (const { id } of tasks) {
    entries.push(...(await list<ReportTimeEntry>(`/api/v1/tasks/${id}/time-entries`)))
    const done = await list<ReportActivity>(`/internal/tasks/${id}/activity`)
    const changes = done.flatMap(({ at, changes: { status_category: turn } }) =>
      turn ? [{ at, ...turn }] : [],
    )
    turns.set(id, changes)
  }
  const projects = new Set(tasks.map(({ project_id }) => project_id))
  const tags = await Promise.all(
    [...projects].map((id) => list<{ id: string; name: string }>(`/api/v1/projects/${id}/tags`)),
  )
  const tagNames = new Map(tags.flat().map(({ id, name }) => [id, name]))
  return { tasks, entries, tagNames, categoryChanges: turns, now }
}

export interface ReportQueryParams {
  after: string
  before: string
  timezone: string
  project_id?: string
  member_id?: string
  tag_id?: string
}

const formats = new Map<string, (at: string) => string>()

/** The day of an instant in a time zone. Shares no code with Docket, so that it can check it. */
function dayIn(timeZone: string, at: string): string {
  let format = formats.get(timeZone)
  if (!format) {
    const made = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
    const days = new Map<string, string>()
    format = (at) => {
      const day = days.get(at) ?? made.format(new Date(at))
      days.set(at, day)
      return day
    }
    formats.set(timeZone, format)
  }
  return format(at)
}

export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

export function listReportDays({ after, before }: ReportQueryParams): string[] {
  const days: string[] = []
  for (let day = after; day < before; day = shiftDay(day, 1)) days.push(day)
  return days
}

/** Computes what each report must return, from the records alone. */
export function computeExpectedReports(
  all: ReportSourceData,
  asked: ReportQueryParams,
): Record<string, object> {
  const { after, before, timezone } = asked
  const of = (list: string | undefined, ids: string[]) =>
    list === undefined || list.split(',').some((id) => ids.includes(id))
  const inScope = all.tasks.filter(
    (task) => of(asked.project_id, [task.project_id]) && of(asked.tag_id, task.tag_ids),
  )
  const tasks = inScope.filter((task) => of(asked.member_id, task.assignee_ids))
  const within = (at: string | null) => {
    const day = at === null ? '' : dayIn(timezone, at)
    return day >= after && day < before
  }
  const done = tasks
    .filter(({ completed_at }) => within(completed_at))
    .toSorted((a, b) => (`${a.completed_at} ${a.id}` < `${b.completed_at} ${b.id}` ? 1 : -1))
  const today = dayIn(timezone, all.now)
  const days = listReportDays(asked).filter((day) => day <= today)
  const flow = days.map((day) => flowAt(day, tasks, all, timezone))
  const ids = new Set(inScope.map(({ id }) => id))
  return {
    'time-entries': linesOf(
      all.entries.filter(
        ({ task_id, user_id, spent_on }) =>
          ids.has(task_id) &&
          of(asked.member_id, [user_id]) &&
          spent_on >= after &&
          spent_on < before,
      ),
      all,
    ),
    flow: { days: flow, assumed: 0 },
    'burn-up': {
      days: flow.map(({ day, backlog, unstarted, started, completed }) => {
        return { day, scope: backlog + unstarted + started + completed, done: completed }
      }),
      assumed: 0,
    },
    throughput: { weeks: weeksOf(days, tasks, timezone) },
    'cycle-time': cyclesOf(done, all),
    estimates: estimatesOf(done),
  }
}

function flowAt(
  day: string,
  tasks: ReportTask[],
  { categoryChanges }: ReportSourceData,
  timezone: string,
) {
  const count = { backlog: 0, unstarted: 0, started: 0, completed: 0, canceled: 0 }
  for (const task of tasks) {
    if (dayIn(timezone, task.created_at) > day) continue
    const later = (categoryChanges.get(task.id) ?? []).find(({ at }) => dayIn(timezone, at) > day)
    count[later?.from ?? task.status_category] += 1
  }
  return { day, ...count }
}

/** The entries in their order, with what is shown of their tasks. */
function linesOf(entries: ReportTimeEntry[], { tasks, tagNames }: ReportSourceData) {
  return entries
    .toSorted((a, b) => (`${a.spent_on} ${a.id}` < `${b.spent_on} ${b.id}` ? -1 : 1))
    .flatMap(({ id, spent_on, user_id, task_id, duration_seconds, billable, note }) => {
      const task = tasks.find((one) => one.id === task_id)
      if (!task) return []
      const { project_id, short_id, title, tag_ids } = task
      const tags = tag_ids.map((tag) => tagNames.get(tag) ?? '').toSorted()
      const of = { project_id, short_id, title, tags }
      return [{ id, spent_on, user_id, ...of, duration_seconds, billable, note }]
    })
}

function weeksOf(days: string[], tasks: ReportTask[], timezone: string) {
  const mondayOf = (day: string) =>
    shiftDay(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7))
  return [...new Set(days.map(mondayOf))].map((week) => {
    const own = days.filter((day) => mondayOf(day) === week)
    const count = (at: (task: ReportTask) => string | null) =>
      tasks.filter((task) => {
        const time = at(task)
        return time !== null && own.includes(dayIn(timezone, time))
      }).length
    const created = count(({ created_at }) => created_at)
    return { week, days: own.length, created, completed: count(({ completed_at }) => completed_at) }
  })
}

const second = (at: string) => Math.floor(Date.parse(at) / 1_000)
const pointOf = ({ id, short_id, title, completed_at }: ReportTask) => {
  return { id, short_id, title, completed_at: completed_at ?? '' }
}

function cyclesOf(done: ReportTask[], { categoryChanges }: ReportSourceData) {
  const points = done.map((task) => {
    const all = categoryChanges.get(task.id) ?? []
    const start =
      all[0]?.from === 'started' ? task.created_at : all.find(({ to }) => to === 'started')?.at
    const seconds = second(task.completed_at ?? '') - second(start ?? task.created_at)
    return { ...pointOf(task), seconds, is_started: start !== undefined }
  })
  const sorted = points.map(({ seconds }) => seconds).toSorted((a, b) => a - b)
  const rank = (share: number) => sorted[Math.ceil((share * sorted.length) / 100) - 1] ?? null
  const unstarted_count = points.filter(({ is_started }) => !is_started).length
  return { count: points.length, unstarted_count, p50: rank(50), p85: rank(85), points }
}

function estimatesOf(done: ReportTask[]) {
  const points = done.flatMap((task) => {
    const { estimate_seconds, time_spent_seconds } = task
    return estimate_seconds ? [{ ...pointOf(task), estimate_seconds, time_spent_seconds }] : []
  })
  const sum = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((all, point) => all + of(point), 0)
  return {
    count: points.length,
    over: points.filter((one) => one.time_spent_seconds > one.estimate_seconds).length,
    estimate_seconds: sum(({ estimate_seconds }) => estimate_seconds),
    time_spent_seconds: sum(({ time_spent_seconds }) => time_spent_seconds),
    points,
  }
}
