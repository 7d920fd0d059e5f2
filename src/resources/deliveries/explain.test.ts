import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep } from '#test/support/scenario/steps.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import {
  openDeliveringWorkspace,
  startDeliveryReceiver,
} from '#test/support/webhooks/delivering-docket.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import type { explainWebhook, WebhookCheck } from './contract.ts'

const NAMES: WebhookCheck['name'][] = ['event', 'enabled', 'type', 'project', 'active', 'delivery']

const endedAt = (end: WebhookCheck['name'], outcome: WebhookCheck['outcome'] = 'refused') =>
  NAMES.map((name, at) => {
    const index = NAMES.indexOf(end)
    return { name, outcome: at < index ? 'passed' : at === index ? outcome : 'not_reached' }
  })

const makesWebhook = (name: string, body: object): ScenarioStep => ({
  send: 'POST /api/v1/webhooks',
  body: { url: 'https://example.com/hook', events: ['*'], ...body },
  status: 201,
  keep: { [name]: 'id' },
})

const explains = (hook: string, reply: object, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: `GET /api/v1/webhooks/{${hook}}/why?event_id={event}`,
  status: 200,
  reply: { webhook_id: `{${hook}}`, event_id: '{event}', deliveries: [], ...reply },
  ...more,
})

scenario('tells by which filter an event does not match a webhook', [
  makesWebhook('all', {}),
  makesWebhook('tags', { events: ['tag.created', 'tag.deleted'] }),
  makesWebhook('elsewhere', { project_ids: ['{hidden}'] }),
  makesWebhook('here', { events: ['task.created'], project_ids: ['{project}'] }),
  makesWebhook('off', { is_active: false }),
  createTaskStep('Mine'),
  { send: 'GET /api/v1/events', status: 200, keep: { event: 'data.0.id' } },
  makesWebhook('late', {}),
  explains('all', {
    event_type: 'task.created',
    sequence: 1,
    is_matched: true,
    checks: endedAt('delivery', 'waiting'),
    waits_for: { reason: 'queue', delivery_id: null, next_attempt_at: null },
  }),
  explains(
    'tags',
    { is_matched: false, checks: endedAt('type'), waits_for: null },
    {
      check: ({ body }) =>
        assert.match(JSON.stringify(body), /`events` does not have `task\.created`\./),
    },
  ),
  explains('elsewhere', { is_matched: false, checks: endedAt('project') }),
  explains('here', { is_matched: true, waits_for: { reason: 'queue' } }),
  explains('late', { is_matched: false, checks: endedAt('enabled') }),
  explains('off', { is_matched: true, checks: endedAt('active'), waits_for: null }),
  {
    send: 'PATCH /api/v1/tasks/{Mine}',
    body: { project_id: '{hidden}' },
    status: 200,
    events: ['task.updated'],
  },
  {
    send: 'GET /api/v1/events?after_sequence=1',
    status: 200,
    keep: { event: 'data.0.id' },
  },
  explains('elsewhere', { is_matched: true }),
  {
    send: 'PATCH /api/v1/webhooks/{here}',
    body: { events: ['*'] },
    status: 200,
  },
  explains('here', { is_matched: true, checks: [{}, {}, {}, { outcome: 'passed' }, {}, {}] }),
  {
    send: 'GET /api/v1/webhooks/{all}/why?event_id=evt_01k2m3n4p5q6r7s8t9v0w1x2y3',
    status: 200,
    reply: { event_type: null, sequence: null, is_matched: false, checks: endedAt('event') },
  },
  { send: 'GET /api/v1/webhooks/{all}/why', status: 400 },
  { send: 'GET /api/v1/webhooks/{all}/why?event_id=1', status: 400 },
  explains('all', {}, { as: 'admin' }),
  { send: 'GET /api/v1/webhooks/{all}/why?event_id={event}', as: 'member', status: 403 },
  { send: 'GET /api/v1/webhooks/{all}/why?event_id={event}', as: 'stranger', status: 404 },
  { send: 'GET /api/v1/webhooks/{all}/why?event_id={event}', as: ['events:read'], status: 403 },
])

type Explanation = EndpointReply<typeof explainWebhook>

for (const engine of ENGINES) {
  test(`tells what a delivery waits for, and that it has arrived (${engine})`, async () => {
    const receiver = await startDeliveryReceiver()
    const { team, callApi, createTask, createWebhook, deliveries } = await openDeliveringWorkspace(
      engine,
      {},
      { rules: { retrySeconds: [3_600] } },
    )
    const hook = await createWebhook(receiver.url, { events: ['*'], project_ids: [team.project] })
    const why = async (event_id = ''): Promise<Explanation> => {
      const explained: unknown = await callApi(
        'GET',
        `/webhooks/${hook.id}/why?event_id=${event_id}`,
      )
      return explained as Explanation
    }
    const waitForDeliveries = (what: string, query: string, count: number) =>
      waitUntil(what, async () => (await deliveries(hook.id, query)).length === count)

    await createTask('Arrives')
    await waitForDeliveries('the delivery', '&status=succeeded', 1)
    const [arrived] = await deliveries(hook.id)
    const delivered = await why(arrived?.event_id)
    assert.deepEqual(
      delivered.checks.map(({ outcome }) => outcome),
      NAMES.map(() => 'passed'),
    )
    assert.equal(delivered.deliveries[0]?.attempts[0]?.response_status, 200)
    assert.equal(delivered.deliveries[0]?.waits_for, null)

    receiver.answer = (_, response) => response.writeHead(500).end('no')
    const task = await createTask('Fails')
    await callApi('PATCH', `/tasks/${task}`, { title: 'Follows' })
    await waitForDeliveries('two deliveries', '&status=pending', 2)
    await waitUntil('the first attempt', async () => {
      const pending = await deliveries(hook.id, '&status=pending')
      return pending.some(({ attempt_count }) => attempt_count === 1)
    })
    const [first, follower] = await deliveries(hook.id, '&status=pending')
    const retried = (await why(first?.event_id)).deliveries[0]
    assert.deepEqual(retried?.waits_for, {
      reason: 'retry',
      delivery_id: null,
      next_attempt_at: first?.next_attempt_at,
    })
    assert.equal(retried?.attempts[0]?.response_status, 500)
    const blocked = await why(follower?.event_id)
    assert.deepEqual(blocked.checks.at(-1)?.outcome, 'waiting')
    assert.deepEqual(blocked.deliveries[0]?.waits_for, {
      reason: 'earlier_delivery',
      delivery_id: first?.id,
      next_attempt_at: first?.next_attempt_at,
    })

    await callApi('PATCH', `/webhooks/${hook.id}`, { is_active: false })
    const canceled = await why(first?.event_id)
    assert.deepEqual(
      canceled.checks.map(({ outcome }) => outcome),
      ['passed', 'passed', 'passed', 'passed', 'refused', 'not_reached'],
    )
    assert.match(canceled.checks[4]?.message ?? '', /`manual`/)
    assert.deepEqual((await why(arrived?.event_id)).checks, delivered.checks)
  })
}
