import { listChanges } from '#resources/changes/contract.ts'
import {
  explainWebhook,
  getDelivery,
  listWebhookDeliveries,
  redeliver,
  replayEvents,
  testWebhook,
} from '#resources/deliveries/contract.ts'
import { getEventPosition, listEvents } from '#resources/events/contract.ts'
import { getRequest } from '#resources/requests/contract.ts'
import { completeTask, createTask } from '#resources/tasks/contract.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from '#resources/webhooks/contract.ts'
import { waitUntil } from '../../system/wait-until.ts'
import type { ExampleClient } from '../example-client.ts'
import type { ExampleWorkspace } from '../example-workspace.ts'

/** Creates a webhook, lets it receive events, and reads the event log. Returns the test event. */
export async function runWebhookStory(
  { record, call, peek }: ExampleClient,
  { project }: ExampleWorkspace,
): Promise<string> {
  const webhook = await record(createWebhook, {
    body: {
      url: 'https://hooks.example.com/docket',
      description: 'Announces finished tasks',
      events: ['task.completed'],
      project_ids: [project],
    },
  })
  const path = { id: webhook.reply.id }

  /** Waits until this many deliveries have ended: until then the time must not move. */
  const waitForDeliveries = (count: number) =>
    waitUntil(`${count} deliveries`, async () => {
      const query = { status: ['succeeded' as const] }
      return (await peek(listWebhookDeliveries, { path, query })).reply.data.length === count
    })

  const test = await record(testWebhook, { path })
  await waitForDeliveries(1)
  const testDelivery = await peek(getDelivery, { path: { id: test.reply.id } })
  const title = 'Announce version 2'
  const task = await call(createTask, { body: { project_id: project, title } })
  await call(completeTask, { path: { id: task.reply.id } })
  await waitForDeliveries(2)
  const deliveries = await record(listWebhookDeliveries, {
    path,
    query: { status: ['succeeded'], limit: 1 },
  })
  const delivery = { path: { id: deliveries.reply.data[0]?.id ?? '' } }
  await record(getDelivery, delivery)
  await record(redeliver, delivery)
  await waitForDeliveries(3)

  await record(listEvents, { query: { after_sequence: 2, type: ['task.created'], limit: 1 } })
  await record(getEventPosition, {})
  await record(listChanges, { query: { types: ['tag', 'task'], limit: 2 } })
  await record(listWebhooks, { query: { is_active: true } })
  const { etag } = await record(getWebhook, { path })
  await record(updateWebhook, {
    path,
    headers: { 'If-Match': etag },
    body: { events: ['task.created', 'task.completed'] },
  })
  await record(rotateWebhookSecret, { path, body: { overlap_seconds: 3600 } })

  const replay = await record(replayEvents, {
    path,
    body: { from_sequence: 1, to_sequence: 20 },
  })
  await waitForDeliveries(3 + replay.reply.queued)
  await record(explainWebhook, {
    path,
    query: { event_id: deliveries.reply.data[0]?.event_id ?? '' },
  })
  await record(getRequest, { path: { id: replay.request_id } })
  await record(deleteWebhook, { path })
  return testDelivery.reply.request?.body ?? ''
}
