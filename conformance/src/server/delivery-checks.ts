import { type CheckGroup, expectEqual, expectTrue } from '../check.ts'
import { newSecret, signBody, signStandard } from '../receiver/delivery.ts'
import { expectFields, expectStatus, type ReplyBody, type ServerSubject } from './client.ts'
import { fieldsOf } from './endpoints.ts'
import type { ReceivedDelivery, WebhookInbox } from './webhook-inbox.ts'

const NEEDS = '--receive-at'
const EVENTS = ['task.created', 'task.updated', 'task.completed', 'task.deleted', 'comment.created']

/** Creates a webhook that is received here; its first deliveries are answered with the statuses. */
async function createWebhook(server: ServerSubject, ...statuses: number[]) {
  const inbox = requireInbox(server)
  const url = inbox.newUrl(...statuses)
  const body = { url, events: EVENTS, project_ids: [server.project] }
  const { id, secret } = await server.create('/webhooks', body)
  return { id, secret: String(secret), inbox, path: new URL(url).pathname }
}

function requireInbox({ inbox }: ServerSubject): WebhookInbox {
  if (!inbox) throw new Error('There is no receiver')
  return inbox
}

const isOf =
  (type: string, task: ReplyBody, attempt = 1) =>
  ({ event, headers }: ReceivedDelivery): boolean =>
    event.type === type &&
    Object(event.data).id === task.id &&
    headers['x-service-attempt'] === String(attempt)

/** Fails unless a delivery is signed in both ways with this secret, a moment ago. */
function expectSigned({ headers, body }: ReceivedDelivery, secret: string): void {
  const timestamp = String(headers['webhook-timestamp'])
  const age = Date.now() / 1000 - Number(timestamp)
  expectTrue(Math.abs(age) < 60, 'a webhook-timestamp of now', timestamp)
  const standard = signStandard(secret, `${headers['webhook-id']}.${timestamp}.`, body)
  expectEqual(headers['webhook-signature'], standard, 'webhook-signature')
  expectEqual(headers['x-service-signature'], signBody(secret, body), 'X-Service-Signature')
}

/** How events reach webhooks. They only run if the server under test can reach this machine. */
export const DELIVERY_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Webhook delivery',
    checks: [
      {
        name: 'delivers an event as documented, signed in both ways',
        advice:
          'Sign the bytes that you send, with the secret in the reply that created the webhook.',
        needs: NEEDS,
        async run(server) {
          const { secret, inbox, path } = await createWebhook(server)
          const task = await server.createTask()
          const all = await inbox.waitFor(path, isOf('task.created', task), 'task.created')
          const delivery = all.find(isOf('task.created', task))
          if (!delivery) throw new Error('The delivery is gone')
          const { headers, event } = delivery
          expectSigned(delivery, secret)
          expectFields(event, fieldsOf('event'))
          expectEqual(event.data, task, 'the record of the reply as data,')
          expectEqual([event.project_id, event.api_version], [server.project, 'v1'], 'members')
          const names = ['content-type', 'user-agent', 'x-service-event', 'webhook-id']
          const wanted = ['application/json', 'Docket-Webhooks/1', 'task.created', event.id]
          expectEqual(
            names.map((name) => headers[name]),
            wanted,
            `${names.join(', ')}:`,
          )
          return event.id
        },
      },
      {
        name: 'delivers each event of a task once, in order, and none for what changes nothing',
        advice: 'Record events in the transaction of their write, numbered in the order of commit.',
        needs: NEEDS,
        async run(server) {
          const { ask, create, createTask } = server
          const { inbox, path } = await createWebhook(server)
          const task = await createTask()
          const change = { title: 'Changed' }
          const headers = { 'idempotency-key': crypto.randomUUID() }
          await ask(`PATCH /tasks/${task.id}`, change, { headers })
          await ask(`PATCH /tasks/${task.id}`, change, { headers })
          await ask(`PATCH /tasks/${task.id}`, change)
          await ask(`PATCH /tasks/${task.id}`, { title: '' })
          await ask(`POST /tasks/${task.id}/complete`)
          await ask(`POST /tasks/${task.id}/complete`)
          await create(`/tasks/${task.id}/comments`, { body: 'Kit' })
          expectStatus(await ask(`DELETE /tasks/${task.id}`), 204)
          const all = await inbox.waitFor(path, isOf('task.deleted', task), 'task.deleted')
          const own = all
            .map(({ event }) => event)
            .filter(({ data }) => [Object(data).id, Object(data).task_id].includes(task.id))
          const { 1: updated } = own
          const types = ['task.created', 'task.updated', 'task.completed', 'comment.created']
          expectEqual(
            own.map(({ type }) => type),
            [...types, 'task.deleted'],
            'events',
          )
          const sequences = own.map(({ sequence }) => Number(sequence))
          const isAscending = sequences.every(
            (sequence, at) => at === 0 || sequence > Number(sequences[at - 1]),
          )
          expectTrue(isAscending, 'an ascending sequence', sequences)
          expectEqual(new Set(own.map(({ id }) => id)).size, own.length, 'different event ids:')
          expectEqual(updated?.changes, { title: { from: task.title, to: 'Changed' } }, 'changes')
          return sequences.join(', ')
        },
      },
      {
        name: 'repeats a failed delivery with the same id and bytes, signed anew',
        advice: 'Store the bytes of an event, and sign them with the time of each attempt.',
        needs: NEEDS,
        async run(server) {
          const { secret, inbox, path } = await createWebhook(server, 500)
          const task = await server.createTask()
          const what = 'a second attempt of task.created'
          const all = await inbox.waitFor(path, isOf('task.created', task, 2), what)
          const [first, second] = all.filter(({ event }) => Object(event.data).id === task.id)
          if (!first || !second) throw new Error('An attempt is gone')
          for (const delivery of [first, second]) expectSigned(delivery, secret)
          expectEqual(second.body.toString(), first.body.toString(), 'the same bytes')
          for (const name of ['webhook-id', 'x-service-delivery']) {
            expectEqual(second.headers[name], first.headers[name], name)
          }
          return `attempts 1 and 2 of ${first.headers['webhook-id']}`
        },
      },
      {
        name: 'signs with a new secret at once, and sends nothing to a disabled webhook',
        advice: 'Read the webhook as it is when you make an attempt.',
        needs: NEEDS,
        async run(server) {
          const { ask, createTask } = server
          const [renewed, disabled] = [await createWebhook(server), await createWebhook(server)]
          const secret = newSecret()
          expectStatus(await ask(`PATCH /webhooks/${renewed.id}`, { secret }), 200)
          expectStatus(await ask(`PATCH /webhooks/${disabled.id}`, { is_active: false }), 200)
          const task = await createTask()
          const { inbox } = renewed
          const all = await inbox.waitFor(renewed.path, isOf('task.created', task), 'task.created')
          const delivery = all.find(isOf('task.created', task))
          if (delivery) expectSigned(delivery, secret)
          expectEqual(inbox.received(disabled.path), [], 'deliveries to the disabled webhook')
          return 'signed with the new secret'
        },
      },
    ],
  },
]
