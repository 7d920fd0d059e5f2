import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { endedJobs } from '#db/jobs/jobs.ts'
import { usersWithDueEmails } from '#db/notifications/notification-emails.ts'
import { gatherNotificationEmails } from '#jobs/notification-emails.ts'
import { timestampOf } from '#lib/clock.ts'
import { shiftDay } from '#test/support/data/expected-reports.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createCookieClient } from '#test/support/world/cookie-client.ts'
import { createDemoWorkspace } from './create-demo-workspace.ts'
import { createDemoCredentials } from './first-start.ts'

const TIMEZONE = 'Pacific/Auckland'

interface DemoRecord {
  [field: string]: unknown
  id: string
}

const clock = createTestClock()
const mail = await startSmtpServer()
after(mail.close)
const openDocket = createFreshDockets(
  { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' },
  { clock },
)
const demos = new Map<DatabaseEngine, ReturnType<typeof createDemo>>()

/** The demo of an engine, which all tests of this file share; only the last one changes it. */
const openDemo = (engine: DatabaseEngine) =>
  demos.getOrInsertComputed(engine, () => createDemo(engine))

async function createDemo(engine: DatabaseEngine) {
  const { storage, server } = await openDocket(engine)
  await createDemoWorkspace(storage, { plan: 'free', timezone: TIMEZONE })
  const credentials = (await createDemoCredentials(storage)) ?? assert.fail()
  const { email, password } = credentials
  const owner = createCookieClient(server)
  assert.equal((await owner.send('POST /internal/session', { email, password })).status, 201)
  const createdAt = timestampOf(clock.now())
  const ask = async <T = Record<string, unknown>>(url: string): Promise<T> => {
    const { status, body } = await owner.send(`GET ${url}`)
    assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`)
    return body as T
  }
  const list = async (url: string): Promise<DemoRecord[]> => {
    const rows: DemoRecord[] = []
    for (let page = await ask(url); ; ) {
      rows.push(...(page.data as DemoRecord[]))
      if (!page.has_more) return rows
      page = await ask(`${url}${url.includes('?') ? '&' : '?'}cursor=${page.next_cursor}`)
    }
  }
  const listEvents = async () => {
    const rows: DemoRecord[] = []
    for (let more = true; more; ) {
      const after = Number(rows.at(-1)?.sequence ?? 0)
      const page = await ask(`/api/v1/events?limit=200&after_sequence=${after}`)
      rows.push(...(page.data as DemoRecord[]))
      more = page.has_more === true
    }
    return rows
  }
  return { storage, server, owner, credentials, createdAt, ask, list, listEvents }
}

for (const engine of ENGINES) {
  test(`the demo workspace is readable with its API key and shows each feature (${engine})`, async () => {
    const { server, credentials, createdAt, list } = await openDemo(engine)
    assert.equal(credentials.email, 'maya@demo.example')
    assert.equal(credentials.password.length, 20)
    const headers = { authorization: `Bearer ${credentials.api_key}` }
    const members = await server.inject({ url: '/api/v1/workspace/members', headers })
    assert.deepEqual(
      members.json().data.map(({ role }: DemoRecord) => role),
      ['owner', 'admin', 'member', 'member', 'guest'],
    )
    const tasks = await list('/api/v1/tasks?limit=200')
    const countTasks = (matches: (task: DemoRecord) => unknown) => tasks.filter(matches).length
    assert.equal(tasks.length, 40)
    assert.equal(new Set(tasks.map(({ status }) => status)).size, 6)
    assert.equal(
      countTasks(({ recurrence, completed_at }) => recurrence && !completed_at),
      1,
    )
    assert.ok(countTasks(({ parent_id }) => parent_id) > 10)
    assert.ok(countTasks(({ blocked_by_ids }) => String(blocked_by_ids)) > 4)
    assert.ok(countTasks(({ tag_ids }) => String(tag_ids)) > 30)
    const today = new Date(createdAt).toLocaleDateString('sv-SE', { timeZone: TIMEZONE })
    const own = await list('/api/v1/tasks?assignee_id=me&completed=false')
    const countDue = (from: string, to: string) =>
      own.filter(({ due_date }) => String(due_date) >= from && String(due_date) < to).length
    assert.ok(countDue(today, shiftDay(today, 1)) >= 2)
    assert.ok(countDue(shiftDay(today, 1), shiftDay(today, 8)) >= 3)
    assert.ok(countDue('2000-01-01', today) >= 1)
  })

  test(`the history of the demo is as if it had happened through the API (${engine})`, async () => {
    const { createdAt, list, listEvents } = await openDemo(engine)
    const [tasks, events, projects] = [
      await list('/api/v1/tasks?limit=200'),
      await listEvents(),
      await list('/api/v1/projects'),
    ]
    assert.equal(new Set(tasks.map(({ id }) => id)).size, tasks.length)
    assert.equal(new Set(tasks.map(({ short_id }) => short_id)).size, tasks.length)

    const times = events.map(({ timestamp }) => String(timestamp))
    assert.deepEqual(times, times.toSorted())
    assert.ok((times.at(-1) ?? '~') <= createdAt)
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, at) => at + 1),
    )
    const timesOf = (type: string, id: string) =>
      events
        .filter((event) => event.type === type && (event.data as DemoRecord).id === id)
        .map(({ timestamp }) => timestamp)
    for (const task of tasks) {
      const { id, created_at, completed_at, updated_at, status_category } = task
      assert.equal(completed_at !== null, status_category === 'completed', String(task.title))
      assert.deepEqual(timesOf('task.created', id), [created_at])
      assert.deepEqual(timesOf('task.completed', id), completed_at === null ? [] : [completed_at])
      assert.ok(String(created_at) <= String(updated_at) && String(updated_at) <= createdAt)

      const entries = await list(`/api/v1/tasks/${id}/time-entries?limit=200`)
      const sum = entries.reduce((total, one) => total + Number(one.duration_seconds), 0)
      assert.equal(task.time_spent_seconds, sum, String(task.title))
      for (const { started_at, ended_at } of entries)
        assert.ok(String(started_at) <= String(ended_at ?? createdAt))
      const comments = await list(`/api/v1/tasks/${id}/comments?limit=200`)
      assert.equal(task.comment_count, comments.length)
      for (const { created_at } of comments) assert.ok(String(created_at) <= createdAt)
    }
    for (const { id, task_counts } of projects) {
      const own = tasks.filter(({ project_id }) => project_id === id)
      for (const [category, count] of Object.entries(task_counts as Record<string, number>)) {
        const counted = own.filter((task) => [task.status_category, 'total'].includes(category))
        assert.equal(counted.length, count, category)
      }
    }
  })

  test(`the demo has an inbox, views, a webhook log and an audit log, and sends nothing (${engine})`, async () => {
    const { ask, list, storage } = await openDemo(engine)
    const notifications = await list('/internal/notifications?limit=100')
    assert.ok(notifications.filter(({ read_at }) => read_at === null).length >= 5)
    assert.ok(notifications.some(({ kind }) => kind === 'webhook'))
    const { views } = await ask('/internal/boot')
    assert.equal((views as unknown[]).length, 2)

    const [webhook] = await list('/api/v1/webhooks')
    assert.deepEqual([webhook?.is_active, webhook?.disabled_reason], [false, 'gone'])
    const deliveries = await list(`/api/v1/webhooks/${webhook?.id}/deliveries?limit=200`)
    const countDeliveries = (matches: (delivery: DemoRecord) => boolean) =>
      deliveries.filter(matches).length
    assert.ok(countDeliveries(({ status }) => status === 'succeeded') > 20)
    assert.ok(
      countDeliveries((one) => one.status === 'succeeded' && Number(one.attempt_count) > 1) > 0,
    )
    assert.equal(
      countDeliveries(({ status }) => status === 'failed'),
      1,
    )
    assert.equal(
      countDeliveries(({ status }) => status === 'pending'),
      0,
    )
    const due = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(usersWithDueEmails, { now: '9999-12-31T00:00:00.000Z', limit: 10 }),
    )
    assert.deepEqual(due, [])
    const [disabled] = await list('/internal/audit?action=webhook.disabled')
    assert.equal(disabled?.actor_type, 'system')
  })

  test(`no email to a person of the demo reaches the mail server (${engine})`, async () => {
    const { storage, owner, list } = await openDemo(engine)
    const [task] = await list('/api/v1/tasks?limit=1')
    const people = await list('/api/v1/workspace/members')
    const jonas = people.find(({ name }) => name === 'Jonas Keller')?.id
    const invite = { role: 'member' }
    const comment = `POST /api/v1/tasks/${task?.id}/comments`
    const requests: [line: string, body: object][] = [
      [comment, { body: `<@${jonas}>, look` }],
      ['POST /internal/invitations', { ...invite, email: 'lea@Demo.Example' }],
      ['POST /internal/password-resets', { email: 'maya@demo.example' }],
      ['POST /internal/api-keys', { name: 'Nightly', preset: 'full' }],
      ['POST /internal/invitations', { ...invite, email: 'ada@example.com' }],
    ]
    for (const [line, body] of requests) {
      const { status, body: reply } = await owner.send(line, body)
      assert.ok(status < 300, `${line}: ${JSON.stringify(reply)}`)
    }
    clock.advance(3 * 60_000)
    await gatherNotificationEmails(storage)()
    const emailsDone = async () => {
      const done = await storage.read(ANONYMOUS_ACTOR, (tx) =>
        tx.all(endedJobs, { status: 'done', limit: 100 }),
      )
      return done.map(({ kind }) => kind).filter((kind) => kind.endsWith('_email'))
    }
    await waitUntil('the end of all jobs', async () => (await emailsDone()).length === 6)
    assert.deepEqual((await emailsDone()).toSorted(), [
      // Instead of a notification, a person who has not confirmed the address gets a link.
      ...['confirmation_email', 'invitation_email', 'invitation_email', 'notification_email'],
      'password_reset_email',
      'security_email',
    ])
    assert.deepEqual(mail.recipients.splice(0), ['ada@example.com'])
  })
}
