import { type CheckGroup, check, expectEqual, expectTrue } from '../check.ts'
import { createServiceSignature, createStandardSignature, newSecret } from '../receiver/delivery.ts'
import type { ReplyBody, ServerSubject } from './client.ts'
import { expectFields } from './record-checks.ts'
import type { InboxDelivery } from './webhook-inbox.ts'

const NEEDS = '--receive-at'
const EVENTS = ['task.created', 'task.updated', 'task.completed', 'task.deleted', 'comment.created']

/** Creates a webhook whose deliveries are received here; the first are answered with these statuses. */
async function createWebhook({ inbox, create, project }: ServerSubject, ...statuses: number[]) {
  if (!inbox) throw new Error('There is no receiver')
  const url = inbox.newUrl(...statuses)
  const { id, secret } = await create('/webhooks', { url, events: EVENTS, project_ids: [project] })
  const { pathname } = new URL(url)

  /** Waits for an attempt to deliver an event of a task; returns all deliveries about the task so far. */
  async function receive(task: ReplyBody, type: string, attempt = '1') {
    const isAboutTask = ({ event }: InboxDelivery) =>
      [Object(event.data).id, Object(event.data).task_id].includes(task.id)
    const what = `attempt ${attempt} of ${type}`
    const isWanted = (delivery: InboxDelivery) =>
      isAboutTask(delivery) &&
      delivery.event.type === type &&
      delivery.headers['x-service-attempt'] === attempt
    return (await inbox?.waitFor(pathname, isWanted, what))?.filter(isAboutTask) ?? []
  }
  return { id, secret: String(secret), receive, received: () => inbox.received(pathname) }
}

/** Fails unless a delivery is signed in both ways with this secret, a moment ago. */
function expectSigned({ headers, body }: InboxDelivery, secret: string): void {
  const timestamp = String(headers['webhook-timestamp'])
  const age = Date.now() / 1000 - Number(timestamp)
  expectTrue(Math.abs(age) < 60, 'a webhook-timestamp of now', timestamp)
  const standard = createStandardSignature(secret, `${headers['webhook-id']}.${timestamp}.`, body)
  expectEqual(headers['webhook-signature'], standard, 'webhook-signature')
  expectEqual(
    headers['x-service-signature'],
    createServiceSignature(secret, body),
    'X-Service-Signature',
  )
}

/** How events reach webhooks. */
export const DELIVERY_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Webhook delivery',
    checks: [
      check(
        'delivers an event as documented, signed in both ways',
        'Sign the bytes that you send, with the secret that the creation of the webhook returned.',
        async (server) => {
          const { secret, receive } = await createWebhook(server)
          const task = await server.createTask()
          for (const delivery of await receive(task, 'task.created')) {
            const { headers, event } = delivery
            expectSigned(delivery, secret)
            expectFields(event, 'event')
            expectEqual(event.data, task, 'as data the record of the reply,')
            const names = ['content-type', 'user-agent', 'x-service-event', 'webhook-id']
            const wanted = ['application/json', 'Docket-Webhooks/1', 'task.created', event.id]
            expectEqual(
              names.map((name) => headers[name]),
              wanted,
              `${names}:`,
            )
          }
        },
        NEEDS,
      ),
      check(
        'delivers the events of a task once, in order, and none for what changes nothing',
        'Record events in the transaction of their write, numbered in the order of commit.',
        async (server) => {
          const { ask, create, createTask } = server
          const { receive } = await createWebhook(server)
          const task = await createTask()
          const path = `/tasks/${task.id}`
          const key = { headers: { 'idempotency-key': crypto.randomUUID() } }
          await ask(`PATCH ${path}`, '200', { title: 'Changed' }, key)
          await ask(`PATCH ${path}`, '200', { title: 'Changed' }, key)
          await ask(`PATCH ${path}`, '200', { title: 'Changed' })
          await ask(`PATCH ${path}`, '422', { title: '' })
          await ask(`POST ${path}/complete`, '200')
          await ask(`POST ${path}/complete`, '200')
          await create(`${path}/comments`, { body: 'Kit' })
          await ask(`DELETE ${path}`, '204')
          const events = (await receive(task, 'task.deleted')).map(({ event }) => event)
          const types = ['task.created', 'task.updated', 'task.completed', 'comment.created']
          expectEqual(
            events.map(({ type }) => type),
            [...types, 'task.deleted'],
            'events',
          )
          expectEqual(new Set(events.map(({ id }) => id)).size, events.length, 'different ids:')
          const sequences = events.map(({ sequence }) => Number(sequence))
          expectEqual(
            sequences,
            sequences.toSorted((a, b) => a - b),
            'an ascending sequence',
          )
          const changes = { title: { from: task.title, to: 'Changed' } }
          expectEqual(events[1]?.changes, changes, 'changes')
        },
        NEEDS,
      ),
      check(
        'repeats a failed delivery with the same id and bytes, signed anew',
        'Store the bytes of an event, and sign them with the time of each attempt.',
        async (server) => {
          const { secret, receive } = await createWebhook(server, 500)
          const attempts = await receive(await server.createTask(), 'task.created', '2')
          for (const attempt of attempts) expectSigned(attempt, secret)
          const [first, second] = attempts.map(({ headers, body }) => [
            ...[headers['webhook-id'], headers['x-service-delivery'], body.toString()],
          ])
          expectEqual(second, first, 'the same event, delivery and bytes:')
        },
        NEEDS,
      ),
      check(
        'signs with a new secret at once, and sends nothing to a disabled webhook',
        'Read the webhook as it is when you make an attempt.',
        async (server) => {
          const [renewed, off] = [await createWebhook(server), await createWebhook(server)]
          const secret = newSecret()
          await server.ask(`PATCH /webhooks/${renewed.id}`, '200', { secret })
          await server.ask(`PATCH /webhooks/${off.id}`, '200', { is_active: false })
          const deliveries = await renewed.receive(await server.createTask(), 'task.created')
          for (const delivery of deliveries) expectSigned(delivery, secret)
          expectEqual(off.received(), [], 'deliveries to the disabled webhook')
        },
        NEEDS,
      ),
    ],
  },
]
