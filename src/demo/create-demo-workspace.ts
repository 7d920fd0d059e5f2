import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { recordUnclaimedDemo } from '#auth/workspaces/first-owner.ts'
import { createWorkspace } from '#auth/workspaces/workspaces.ts'
import { type Actor, ANONYMOUS_ACTOR, type Plan } from '#core/actor.ts'
import { DEMO_EMAIL_DOMAIN } from '#core/mailer.ts'
import { parsePageRequest } from '#core/page-request.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import {
  assignNotificationsToEmail,
  detachNotificationsFromEmail,
} from '#db/notifications/notification-emails.ts'
import { timestampOf } from '#lib/clock.ts'
import { addDays, atWallTime, dayIn } from '#lib/days.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { newId } from '#lib/id.ts'
import { create as createComment } from '#resources/comments/operations.ts'
import { createMembership } from '#resources/members/membership.ts'
import { addProject, insertPerson } from '#resources/projects/create-project.ts'
import { loadProject } from '#resources/projects/load.ts'
import { create as createTag } from '#resources/tags/operations.ts'
import { loadTaskToWrite } from '#resources/tasks/load.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { updateLoadedTask } from '#resources/tasks/operations/update.ts'
import { create as createTimeEntry } from '#resources/time-entries/operations.ts'
import { create as createView, pin } from '#resources/web-app/views/operations.ts'
import { createWebhookAs } from '#resources/webhooks/operations.ts'
import { createAttemptRunner, type DeliveryAttempt } from '#webhooks/attempts.ts'
import { dueWebhooks, fanOut, readyDeliveries } from '#webhooks/queue.ts'
import { recordAttempts } from '#webhooks/results.ts'
import {
  DEMO_PEOPLE,
  DEMO_PROJECTS,
  DEMO_TASKS,
  DEMO_VIEWS,
  type DemoPerson,
  type DemoProject,
  type DemoTask,
} from './demo-data.ts'

export const demoEmailOf = (who: string) => `${who}@${DEMO_EMAIL_DOMAIN}`

const MINUTE_MS = 60_000
/** The day before the first task. */
const CREATED_ON = -15
/** A guest, whose hours are charged. Those of the others are not. */
const FREELANCER = 'elif'

/**
 * The days and times of the demo, counted from the day on which it is created, and the ids of what its
 * steps have created, by key, name or title.
 */
export function createDemoContext(timezone: string, nowMs: number) {
  const today = dayIn(timezone, timestampOf(nowMs))
  const dayOf = (days: number) => addDays(today, days)
  return {
    dayOf,
    /** An hour on that day, such as 9.5, in milliseconds since 1970. */
    timeOn(days: number, hour: number) {
      const time = timestampOf(Math.round(hour * HOUR_MS)).slice(11, 19)
      return Date.parse(atWallTime(dayOf(days), timezone, time))
    },
    minutesAgo: (minutes: number) => nowMs - minutes * MINUTE_MS,
    ids: new Map<string, string>(),
  }
}

type DemoContext = ReturnType<typeof createDemoContext>

function idOf({ ids }: DemoContext, key: string): string {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`The demo refers to "${key}" before it is created`)
  return id
}

interface DemoOptions {
  plan: Plan
  timezone: string
}

/**
 * Creates the demo workspace with two weeks of history, by the operations of the API, each at
 * the time at which somebody might have done it. So its events, activity and counters are right.
 * Nobody can sign in to it before `createDemoCredentials`.
 */
export async function createDemoWorkspace(storage: Storage, options: DemoOptions): Promise<void> {
  const { plan, timezone } = options
  const context = createDemoContext(timezone, storage.clock.now())
  const createdAt = context.timeOn(CREATED_ON, 9)
  const workspace_id = newId('wsp', createdAt)
  const places = { workspace_id, timezone, workspace_timezone: timezone }
  const system: Actor = { ...ANONYMOUS_ACTOR, ...places, role: 'owner' }
  await storage.write(system, (tx) => createWorkspaceWithPeople(tx, context, options), createdAt)
  const actorOf = (who: DemoPerson): Actor => {
    return { ...system, type: 'user', user_id: idOf(context, who), plan, ...DEMO_PEOPLE[who] }
  }
  // Writes that wait together share commits, so a history of hundreds takes few.
  await Promise.all(
    planHistory(context).map(({ at, by, run }) =>
      storage.write(by === 'docket' ? system : actorOf(by), run, at),
    ),
  )
  // The people of the demo have no mailbox, and its owner should not get weeks of emails at once.
  await storage.write(system, async (tx) => {
    const until = timestampOf(tx.nowMs + 2 * DAY_MS)
    for (const who of Object.keys(DEMO_PEOPLE)) {
      const email = { user_id: idOf(context, who), email_job_id: newId('job', tx.nowMs) }
      await tx.run(assignNotificationsToEmail, { ...email, until })
      await tx.run(detachNotificationsFromEmail, email)
    }
  })
}

/** Creates the workspace with its people, none of whom can sign in. */
async function createWorkspaceWithPeople(tx: WriteTx, context: DemoContext, options: DemoOptions) {
  const { plan, timezone } = options
  await createWorkspace(tx, { name: 'Demo', plan, timezone })
  for (const [who, { name, role }] of Object.entries(DEMO_PEOPLE)) {
    const person = { email: demoEmailOf(who), name, timezone }
    const { user_id } = await ensureAccount(tx, person, NO_PASSWORD)
    await createMembership(tx, { user_id, name, role })
    context.ids.set(who, user_id)
  }
  const { workspace_id } = tx.actor
  await recordUnclaimedDemo(tx, { workspace_id, user_id: idOf(context, 'maya') })
}

/** What a person or Docket itself did at a time of the history, in a transaction of its own. */
interface DemoStep {
  /** Milliseconds since 1970. */
  at: number
  by: DemoPerson | 'docket'
  run(tx: WriteTx): Promise<unknown>
}

/** All steps of the demo in the order of time, which is also the order of their events. */
export function planHistory(context: DemoContext): DemoStep[] {
  const { timeOn } = context
  const steps: DemoStep[] = [
    { at: timeOn(-10, 12), by: 'maya', run: (tx) => createViews(tx, context) },
  ]
  for (const project of ['website', 'portal'] as const) {
    const run = (tx: WriteTx) => createProject(tx, context, project)
    steps.push({ at: timeOn(CREATED_ON, 10), by: 'maya', run })
  }
  steps.push(...DEMO_TASKS.flatMap((task, index) => planTask(context, task, index)))
  return [...steps, ...planWebhook(context, steps)].toSorted((a, b) => a.at - b.at)
}

async function createProject(tx: WriteTx, context: DemoContext, project: DemoProject) {
  const { lead, tags, ...attributes } = DEMO_PROJECTS[project]
  const people = { lead_id: idOf(context, lead), created_by_id: idOf(context, 'maya') }
  const { id } = await addProject(tx, { ...attributes, ...people })
  context.ids.set(project, id)
  if (project === 'website')
    await tx.run(insertPerson, { project_id: id, user_id: idOf(context, FREELANCER) })
  const loaded = await loadProject(tx, id)
  for (const [name, color] of Object.entries(tags)) {
    const tag = await createTag(tx, loaded, operationInput({ id }, { name, color }))
    context.ids.set(`${project} ${name}`, createdId(tag))
  }
}

async function createViews(tx: WriteTx, context: DemoContext) {
  const view_ids: string[] = []
  for (const view of DEMO_VIEWS) {
    const body = { ...view, project_id: idOf(context, 'website') }
    view_ids.push(createdId(await createView(tx, undefined, operationInput(undefined, body))))
  }
  return pin(tx, undefined, operationInput(undefined, { view_ids }))
}

const REPLY_DELAY_MS = 9 * MINUTE_MS

/** The steps of a task, of which the first creates it. */
export function planTask(context: DemoContext, task: DemoTask, index: number): DemoStep[] {
  const { ids } = context
  const { key = task.title, by = 'jonas', assignees = [], hours = 0, comments = [] } = task
  const [createdOn, startedOn, endedOn] = task.days
  const worker = assignees[0] ?? by
  const steps: DemoStep[] = []
  /**
   * Adds a step on a day, at another minute for each task, so that one can refer to those before it; if
   * `on` is positive, so many minutes ago.
   */
  const add = (on: number, hour: number, who: DemoPerson, run: DemoStep['run']) => {
    const at = on > 0 ? context.minutesAgo(on) : context.timeOn(on, hour + index / 60)
    steps.push({ at, by: who, run })
  }
  const load = (tx: WriteTx) => loadTaskToWrite(tx, idOf(context, key))

  const setStatus = (status: string) => async (tx: WriteTx) => {
    await updateLoadedTask(tx, await load(tx), { status })
    const next = tx.events.findLast(({ kind }) => kind === 'task.created')
    if (next) ids.set(key, next.subject_id)
  }
  const log = (minutes: number | undefined) => async (tx: WriteTx) => {
    const loaded = await load(tx)
    const started_at = timestampOf(tx.nowMs - (minutes ?? 0) * MINUTE_MS)
    const time = minutes === undefined ? { running: true } : { duration_seconds: minutes * 60 }
    const body = { ...time, started_at, note: null, billable: worker === FREELANCER }
    return createTimeEntry(tx, loaded, operationInput({ id: loaded.id }, body))
  }
  const writeComment = (text: string, isReply: boolean) => async (tx: WriteTx) => {
    const body = text.replace(/\{(\w+)\}/g, (_, name) => `<@${idOf(context, name)}>`)
    const loaded = await load(tx)
    const parent_id = isReply ? idOf(context, `comment on ${key}`) : null
    const input = operationInput({ id: loaded.id }, { body, parent_id })
    const id = createdId(await createComment(tx, loaded, input))
    if (!isReply) ids.set(`comment on ${key}`, id)
  }

  add(createdOn, 9, by, async (tx) => {
    ids.set(key, (await createTaskFromInput(tx, toTaskInput(context, task))).id)
  })
  // The estimates are not exact. Half of the work is done on the first day, and no more than six hours.
  const minutes = Math.round(Math.min(6, (hours / 2) * (0.8 + (index % 5) / 8)) * 60)
  if (startedOn !== undefined) {
    add(startedOn, 11, worker, setStatus('in_progress'))
    if (hours > 0) add(startedOn, 15, worker, log(minutes))
  }
  if (endedOn !== undefined) {
    if (hours > 0) add(endedOn, 16, worker, log(minutes))
    add(endedOn, 17, worker, setStatus(task.last ?? 'done'))
  }
  if (task.timerMinutes) add(task.timerMinutes, 0, worker, log(undefined))
  for (const [who, text, at] of comments) {
    const run = writeComment(text, at === undefined)
    if (at === undefined) steps.push({ at: (steps.at(-1)?.at ?? 0) + REPLY_DELAY_MS, by: who, run })
    else add(at, 13, who, run)
  }
  return steps
}

type DemoTaskInput = Parameters<typeof createTaskFromInput>[1]

function toTaskInput(context: DemoContext, task: DemoTask): DemoTaskInput {
  const { project = 'website', hours = 0, parent, days } = task
  const idsOf = (keys: readonly string[] = []) => keys.map((key) => idOf(context, key)).toSorted()
  const toDate = (day?: number) => (day === undefined ? null : context.dayOf(day))
  return {
    project_id: idOf(context, project),
    title: task.title,
    description: task.description ?? null,
    status: task.isBacklog ? 'backlog' : 'todo',
    priority: task.priority ?? 'none',
    assignee_ids: idsOf(task.assignees),
    tag_ids: idsOf(task.tags?.map((tag) => `${project} ${tag}`)),
    start_date: toDate(days[1]),
    due_date: toDate(task.due ?? days[2]),
    estimate_seconds: hours * 3_600 || null,
    parent_id: parent === undefined ? null : idOf(context, parent),
    blocked_by_ids: idsOf(task.blockedBy),
    recurrence: task.isWeekly ? { rrule: 'FREQ=WEEKLY', basis: 'due_date' } : null,
  }
}

const SENDING_DELAY_MS = 600
const RULES = { retrySeconds: [5, 300], disableAfterSeconds: 259_200, disableAfterAttempts: 20 }

/**
 * A webhook with a log of deliveries: most succeeded, one in nine failed and was retried, and a reply 410
 * disabled it. It stays disabled, so the demo never sends a request.
 */
function planWebhook(context: DemoContext, history: readonly DemoStep[]): DemoStep[] {
  const createdAt = context.timeOn(-9, 11)
  const goneAt = context.timeOn(-2, 12.5)
  const create = (tx: WriteTx) => {
    const webhook = {
      // No server can have this name (RFC 2606).
      url: 'https://hooks.demo.example/team-chat',
      description: 'Tells the team chat what happens',
      events: ['*' as const],
      project_ids: [idOf(context, 'website')],
    }
    return createWebhookAs(tx, webhook, idOf(context, 'jonas'))
  }
  const sendings = history.filter(({ at }) => at > createdAt).toSorted((a, b) => a.at - b.at)
  return [
    { at: createdAt, by: 'jonas', run: create },
    ...sendings.map(({ at }, number): DemoStep => {
      const status = at > goneAt ? 410 : number % 9 === 0 ? 503 : 200
      return { at: at + SENDING_DELAY_MS, by: 'docket', run: (tx) => deliver(tx, status) }
    }),
  ]
}

/** Delivers as the dispatcher does, but with this reply instead of the receiver's. */
async function deliver(tx: WriteTx, status: number): Promise<void> {
  await fanOut(tx)
  const error = status === 200 ? null : ('http_status' as const)
  const duration_ms = 80 + (Math.floor(tx.nowMs / 1_000) % 160)
  const reply = { status, body: `{"ok":${status === 200}}`, error, duration_ms, retry_after: null }
  const decrypt = (sealed: string) => tx.decrypt(sealed)
  const deps = { send: async () => reply, decrypt, log: console }
  const runAttempt = createAttemptRunner(deps, { now: () => tx.nowMs })
  const attempts: DeliveryAttempt[] = []
  for (const webhook of await tx.all(dueWebhooks, { now: tx.now })) {
    const { id: webhook_id, activation } = webhook
    const limits = { now: tx.now, busy: [], limit: 50 }
    for (const delivery of await tx.all(readyDeliveries, { webhook_id, activation, ...limits }))
      attempts.push(await runAttempt(tx.actor.workspace_id, webhook, delivery))
  }
  await recordAttempts(tx, attempts, RULES)
}

const page = parsePageRequest('', '', {}, '')
/** The input of an operation that is called without a request. */
const operationInput = <P, B>(params: P, body: B) => ({ params, query: undefined, body, page })

/** The id of the record that an operation returns. */
function createdId(result: object | string | undefined): string {
  if (typeof result === 'object' && 'id' in result && typeof result.id === 'string')
    return result.id
  throw new Error('An operation of the demo returned no record')
}
