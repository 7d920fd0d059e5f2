import { parsePageRequest } from '#core/page-request.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import { addDays, atWallTime, dayIn, dayNumber, weekdayOf } from '#lib/days.ts'
import { create as createComment } from '#resources/comments/operations.ts'
import { mark } from '#resources/notifications/operations.ts'
import { loadTaskToWrite } from '#resources/tasks/load.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { updateLoadedTask } from '#resources/tasks/operations/update.ts'
import { create as createTimeEntry } from '#resources/time-entries/operations.ts'
import { create as createView, pin } from '#resources/web-app/views/operations.ts'
import { createWebhookAs } from '#resources/webhooks/operations.ts'
import { dueWebhooks, readyDeliveries } from '#webhooks/dispatch/store.ts'
import { fanOut } from '#webhooks/queue/fan-out.ts'
import { recordAttempts } from '#webhooks/results/record.ts'
import { createAttemptRunner, type DeliveryAttempt } from '#webhooks/sending/attempt.ts'
import {
  DEMO_INBOX,
  DEMO_TASKS,
  DEMO_VIEWS,
  DEMO_WEBHOOK,
  type DemoPerson,
  type DemoProject,
  type DemoTask,
  FREELANCER,
} from './demo-data.ts'

const MINUTE_MS = 60_000
const SUNDAY = 6

/** The days and times of the demo, counted from the day on which it is created. */
export function createDemoCalendar(timezone: string, nowMs: number) {
  const today = dayIn(timezone, timestampOf(nowMs))
  /**
   * The day some days from today. Nobody works at weekends: they become the Friday before if they
   * are over, and otherwise the Monday after.
   */
  const dayOf = (days: number) => {
    const daysSinceFriday = weekdayOf(dayNumber(today) + days) - SUNDAY + 2
    if (days === 0 || daysSinceFriday < 1) return addDays(today, days)
    return addDays(today, days - daysSinceFriday + (days < 0 ? 0 : 3))
  }
  return {
    dayOf,
    /** An hour on that day, such as 9.5, in milliseconds since 1970. */
    timeOn: (days: number, hour: number) => {
      const time = timestampOf(Math.round(hour * 3_600) * 1_000).slice(11, 19)
      return Date.parse(atWallTime(dayOf(days), timezone, time))
    },
    minutesAgo: (minutes: number) => nowMs - minutes * MINUTE_MS,
  }
}

/** What a person or Docket itself did at a time of the history, in a transaction of its own. */
export interface DemoStep {
  /** Milliseconds since 1970. */
  at: number
  by: DemoPerson | 'docket'
  run(tx: WriteTx): Promise<unknown>
}

/** What the steps refer to. A step that creates a task adds its id to `tasks`, by key or title. */
export interface DemoContext {
  calendar: ReturnType<typeof createDemoCalendar>
  people: Record<DemoPerson, string>
  projects: Record<DemoProject, { id: string; tags: ReadonlyMap<string, string> }>
  tasks: Map<string, string>
}

/** All steps of the demo in the order of time, which is also the order of their events. */
export function planHistory(context: DemoContext): DemoStep[] {
  const { website, portal } = DEMO_TASKS
  const work = [
    ...website.flatMap((task, index) => planTask(context, 'website', task, index)),
    ...portal.flatMap((task, index) => planTask(context, 'portal', task, index)),
  ]
  const steps = [
    ...work,
    ...planWebhook(context, work),
    ...planViews(context),
    ...planInbox(context),
  ]
  return steps.toSorted((a, b) => a.at - b.at)
}

const REPLY_DELAY_MS = 9 * MINUTE_MS

/** The steps of a task, of which the first creates it. */
export function planTask(
  context: DemoContext,
  project: DemoProject,
  task: DemoTask,
  index: number,
): DemoStep[] {
  const { calendar, people, tasks } = context
  const { key = task.title, by = 'jonas', assignees = [], log = [], comments = [] } = task
  const [createdOn, startedOn, completedOn] = task.days
  const worker = assignees[0] ?? by
  // Another time for each task, within half an hour.
  const timeOn = (on: number, hour: number) =>
    calendar.timeOn(on, hour + ((index * 397) % 1_700) / 3_600)
  const load = (tx: ReadTx) => loadTaskToWrite(tx, demoTaskId(context, key))
  const steps: DemoStep[] = [
    {
      // In the morning, in their order, so that one can refer to those before it.
      at: calendar.timeOn(createdOn, 9 + (index * 43) / 3_600),
      by,
      async run(tx) {
        tasks.set(key, (await createTaskFromInput(tx, toTaskInput(context, project, task))).id)
      },
    },
  ]

  type Fields = Parameters<typeof updateLoadedTask>[2]
  const change = (on: number | undefined, hour: number, fields: Fields, who = worker) => {
    if (on === undefined) return
    const run = async (tx: WriteTx) => {
      await updateLoadedTask(tx, await load(tx), fields)
      const next = tx.events.findLast(({ kind }) => kind === 'task.created')
      if (next) tasks.set(key, next.subject_id)
    }
    steps.push({ at: timeOn(on, hour), by: who, run })
  }
  change(startedOn, 11, { status: 'in_progress' })
  const { postponed } = task
  if (postponed) change(postponed.on, 12, { due_date: calendar.dayOf(postponed.due) }, by)
  change(task.reviewOn, 16.5, { status: 'in_review' })
  change(task.canceledOn, 17.5, { status: 'canceled' }, by)
  change(completedOn, 17, { status: 'done' })

  type Time = { duration_seconds?: number; running?: boolean; note: string | null }
  const logTime = (at: number, who: DemoPerson, time: Time) => {
    const started_at = timestampOf(at - (time.duration_seconds ?? 0) * 1_000)
    const body = { ...time, started_at, billable: who === FREELANCER }
    const run = async (tx: WriteTx) => {
      const loaded = await load(tx)
      return createTimeEntry(tx, loaded, operationInput({ id: loaded.id }, body))
    }
    steps.push({ at, by: who, run })
  }
  for (const [number, [on, hours, note = null]] of log.entries()) {
    const who = assignees[number % assignees.length] ?? by
    logTime(timeOn(on, 16), who, { duration_seconds: hours * 3_600, note })
  }
  const [minutes, note = null] = task.timer ?? []
  if (minutes !== undefined) logTime(calendar.minutesAgo(minutes), worker, { running: true, note })

  for (let on = task.due ?? 0; task.isWeekly && on < 0; on += 7) {
    change(on, 14, { status: 'in_progress' })
    logTime(timeOn(on, 15), worker, { duration_seconds: (task.hours ?? 0) * 3_600, note: null })
    change(on, 17, { status: 'done' })
  }

  let at = 0
  let lastId: string | null = null
  for (const [number, [who, when, text]] of comments.entries()) {
    const isReply = when === 'reply'
    if (isReply) at += REPLY_DELAY_MS
    else if (typeof when === 'number') at = timeOn(when, 13 + (number * 2) / 3)
    else at = calendar.minutesAgo(when.minutesAgo)
    const run = async (tx: WriteTx) => {
      const body = text.replace(/\{(\w+)\}/g, (_, name: DemoPerson) => `<@${people[name]}>`)
      const loaded = await load(tx)
      const input = operationInput({ id: loaded.id }, { body, parent_id: isReply ? lastId : null })
      const { id } = createdRecord(await createComment(tx, loaded, input))
      if (!isReply) lastId = id
    }
    steps.push({ at, by: who, run })
  }
  return steps
}

function toTaskInput(
  context: DemoContext,
  project: DemoProject,
  task: DemoTask,
): Parameters<typeof createTaskFromInput>[1] {
  const { people, calendar } = context
  const { id: project_id, tags } = context.projects[project]
  const { title, description = null, priority = 'none', hours, parent, isWeekly } = task
  const [, startedOn, completedOn] = task.days
  const day = (offset: number | undefined) => (offset === undefined ? null : calendar.dayOf(offset))
  return {
    project_id,
    title,
    description,
    status: task.isBacklog ? 'backlog' : 'todo',
    priority,
    assignee_ids: (task.assignees ?? []).map((person) => people[person]).toSorted(),
    tag_ids: (task.tags ?? []).map((tag) => tags.get(tag) ?? '').toSorted(),
    start_date: day(task.start ?? (completedOn === undefined ? undefined : startedOn)),
    due_date: day(task.due ?? completedOn),
    estimate_seconds: hours === undefined ? null : hours * 3_600,
    parent_id: parent === undefined ? null : demoTaskId(context, parent),
    blocked_by_ids: (task.blockedBy ?? []).map((key) => demoTaskId(context, key)),
    recurrence: isWeekly ? { rrule: 'FREQ=WEEKLY', basis: 'due_date' } : null,
  }
}

function demoTaskId({ tasks }: DemoContext, key: string): string {
  const id = tasks.get(key)
  if (id === undefined) throw new Error(`The demo refers to "${key}" before it is created`)
  return id
}

const SENDING_DELAY_MS = 600
/** When the attempts after a failure are due, with the most that their delays can grow. */
const RETRY_DELAYS_MS = [7_000, 400_000, 2_600_000, 11_300_000]
const DELIVERY_RULES = {
  retrySeconds: [5, 300, 1_800, 7_200, 18_000],
  disableAfterSeconds: 259_200,
  disableAfterAttempts: 20,
}

/**
 * A webhook with a log of deliveries: most succeeded, some were retried during an outage, and a reply
 * 410 disabled it. It stays disabled, so the demo never sends a request.
 */
function planWebhook(context: DemoContext, history: readonly DemoStep[]): DemoStep[] {
  const { calendar, people, projects } = context
  const { url, description, createdOn, by } = DEMO_WEBHOOK
  const created: DemoStep = {
    at: calendar.timeOn(createdOn, 11),
    by,
    run: (tx) => {
      const events = [...DEMO_WEBHOOK.events]
      const webhook = { url, description, events, project_ids: [projects.website.id] }
      return createWebhookAs(tx, webhook, people[by])
    },
  }
  const failureAt = (at: number) =>
    DEMO_WEBHOOK.failures.find(
      ({ on, from, to }) => at >= calendar.timeOn(on, from) && at < calendar.timeOn(on, to),
    )
  const sendings = history.flatMap(({ at }) => {
    if (at < created.at) return []
    return [0, ...(failureAt(at) ? RETRY_DELAYS_MS : [])].map((delay) => at + delay)
  })
  return [
    created,
    ...sendings.map((at): DemoStep => {
      const sentAt = at + SENDING_DELAY_MS
      const { status, body } = failureAt(sentAt) ?? { status: 200, body: '{"ok":true}' }
      return { at: sentAt, by: 'docket', run: (tx) => deliver(tx, status, body) }
    }),
  ]
}

/** Delivers as the dispatcher does, but with this reply instead of the receiver's. */
async function deliver(tx: WriteTx, status: number, body: string): Promise<void> {
  await fanOut(tx)
  const duration_ms = 80 + (Math.floor(tx.nowMs / 1_000) % 160)
  const error = status === 200 ? null : ('http_status' as const)
  const runAttempt = createAttemptRunner(
    {
      send: async () => ({ status, body, error, duration_ms, retry_after: null }),
      decrypt: (sealed) => tx.decrypt(sealed),
      log: {
        error(_, message) {
          throw new Error(message)
        },
      },
    },
    { now: () => tx.nowMs },
  )
  const attempts: DeliveryAttempt[] = []
  for (const webhook of await tx.all(dueWebhooks, { now: tx.now })) {
    const { id: webhook_id, activation } = webhook
    const limits = { now: tx.now, busy: [], limit: 50 }
    for (const delivery of await tx.all(readyDeliveries, { webhook_id, activation, ...limits })) {
      attempts.push(await runAttempt(tx.actor.workspace_id, webhook, delivery))
    }
  }
  await recordAttempts(tx, attempts, DELIVERY_RULES)
}

/** The steps that create saved views and pin them for the owner of the demo. */
function planViews({ calendar, projects }: DemoContext): DemoStep[] {
  const view_ids: string[] = []
  const steps = DEMO_VIEWS.map(
    ({ on, by, ...view }): DemoStep => ({
      at: calendar.timeOn(on, 11.8),
      by,
      async run(tx) {
        const body = { ...view, project_id: projects.website.id }
        const created = await createView(tx, undefined, operationInput(undefined, body))
        view_ids.push(createdRecord(created).id)
      },
    }),
  )
  const pinned: DemoStep = {
    at: calendar.timeOn(-16, 11.9),
    by: 'maya',
    run: (tx) => pin(tx, undefined, operationInput(undefined, { view_ids })),
  }
  return [...steps, pinned]
}

/** The steps by which the owner clears the inbox, except for what came in the last days. */
const planInbox = ({ calendar }: DemoContext): DemoStep[] =>
  DEMO_INBOX.map(({ on, marks }) => ({
    at: calendar.timeOn(on, 8.5),
    by: 'maya',
    run: (tx) => mark(tx, undefined, operationInput(undefined, marks)),
  }))

/** The input of an operation that is called without a request. */
export const operationInput = <P, B>(params: P, body: B) => ({
  params,
  query: undefined,
  body,
  page: UNUSED_PAGE,
})
const UNUSED_PAGE = parsePageRequest('', '', {}, '')

/** The id of the record that an operation returns. */
export function createdRecord(result: object | string | undefined): { id: string } {
  if (typeof result === 'object' && 'id' in result && typeof result.id === 'string') {
    return { id: result.id }
  }
  throw new Error('An operation of the demo returned no record')
}
