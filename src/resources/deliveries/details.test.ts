import assert from 'node:assert/strict'
import { command, insertRow, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import { DELIVERY_QUEUES, queueDeliveries } from '#db/deliveries/delivery-queue.ts'
import type { DeliveryRow } from '#db/schema/tables.ts'
import { type ScenarioReply, type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep } from '#test/support/scenario/steps.ts'
import type { DeliveryDetails } from './contract.ts'

const HOOK = '/api/v1/webhooks/{hook}'
const ONE = '/api/v1/deliveries/{first}'
const hook: ScenarioStep = {
  send: 'POST /api/v1/webhooks',
  body: { url: 'https://example.com/hook', events: ['*'] },
  status: 201,
  keep: { hook: 'id' },
}
const TEXT = 'Quote " and \\ and / and \u2028 and 🦆 and Ünï'
const ANSWER = 'not JSON: "\\\u0001\ufffd 🦆'
const details = ({ body }: ScenarioReply) => body as DeliveryDetails

scenario('returns the last request and all attempts of a delivery', [
  hook,
  createTaskStep('task', { description: TEXT }),
  {
    prepare: async (tx, known) => {
      const event = await tx.one(newestEvent, {})
      assert.ok(event)
      const [id = ''] = await queueDeliveries(tx, [
        {
          webhook_id: known.hook ?? '',
          event_id: event.id,
          event_type: event.type,
          sequence: event.sequence,
          queue: DELIVERY_QUEUES.live,
          lane: 'a',
          activation: 0,
        },
      ])
      Object.assign(known, { first: id, event: event.id, payload: event.payload })
      const attempt = { delivery_id: id, duration_ms: 12, url: 'https://example.com/hook' }
      const headers = JSON.stringify({
        'X-Service-Attempt': '1',
        'X-Service-Signature': 'sha256=1',
      })
      const answered = {
        response_status: 500,
        response_body: ANSWER,
        error: 'http_status',
      } as const
      const none = { response_status: null, response_body: null, error: 'timeout' } as const
      const [early, late] = ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:05.000Z']
      await tx.run(insertAttempt, {
        ...attempt,
        ...none,
        number: 2,
        started_at: late,
        url: 'https://example.com/moved',
        headers: headers.replace('"1"', '"2"'),
      })
      await tx.run(insertAttempt, {
        ...attempt,
        ...answered,
        number: 1,
        started_at: early,
        headers,
      })
      const due_at = '2026-03-01T10:05:00.000Z'
      await tx.run(setAttempts, { id, due_at, attempt_count: 2, error: 'timeout', blocked: 0 })
    },
    send: `GET ${ONE}`,
    status: 200,
    reply: {
      status: 'pending',
      attempt_count: 2,
      error: 'timeout',
      next_attempt_at: '2026-03-01T10:05:00.000Z',
      event_id: '{event}',
      event_type: 'task.created',
      attempts: [
        {
          number: 1,
          started_at: '2026-03-01T10:00:00.000Z',
          duration_ms: 12,
          response_status: 500,
          response_body: ANSWER,
          error: 'http_status',
        },
        { number: 2, response_status: null, response_body: null, error: 'timeout' },
      ],
    },
    check: (reply, { payload }) => {
      const { request } = details(reply)
      assert.deepEqual(request, {
        url: 'https://example.com/moved',
        headers: { 'X-Service-Attempt': '2', 'X-Service-Signature': 'sha256=1' },
        body: payload,
      })
      assert.ok(request?.body.includes(JSON.stringify(TEXT)))
    },
  },
  {
    prepare: (tx, known) =>
      tx.run(setAttempts, {
        id: known.first ?? '',
        due_at: '2026-03-01T10:05:00.000Z',
        attempt_count: 2,
        error: 'timeout',
        blocked: 1,
      }),
    send: `GET ${ONE}`,
    status: 200,
    reply: { status: 'pending', next_attempt_at: null },
  },
  {
    prepare: (tx) => tx.run(leaveLog, {}),
    send: `GET ${ONE}`,
    status: 200,
    check: (reply, { payload }) => assert.equal(details(reply).request?.body, payload),
  },
  {
    send: `GET ${HOOK}/deliveries`,
    status: 200,
    check: ({ body }) => assert.ok(!JSON.stringify(body).includes('"request"')),
  },
])

scenario('a test event holds its actor and no data', [
  hook,
  {
    send: `POST ${HOOK}/test`,
    as: 'admin',
    status: 202,
    keep: { first: 'id', event: 'event_id', made_at: 'created_at' },
  },
  {
    prepare: async (tx, known) => {
      const headers = JSON.stringify({ 'webhook-id': known.event })
      await tx.run(insertAttempt, {
        delivery_id: known.first ?? '',
        number: 1,
        started_at: tx.now,
        duration_ms: 0,
        response_status: 204,
        response_body: '',
        error: null,
        url: 'https://a.example',
        headers,
      })
      const id = known.first ?? ''
      await tx.run(setAttempts, { id, due_at: tx.now, attempt_count: 1, error: null, blocked: 0 })
    },
    send: `GET ${ONE}`,
    status: 200,
    reply: { request: { url: 'https://a.example', headers: { 'webhook-id': '{event}' } } },
    keep: { sent: 'request.body' },
    check: (_, { sent = '', event, made_at, workspace, admin }) => {
      const { actor, ...envelope } = JSON.parse(sent)
      assert.deepEqual(Object.entries(envelope), [
        ['id', event],
        ['type', 'webhook.test'],
        ['timestamp', made_at],
        ['workspace_id', workspace],
        ['project_id', null],
        ['sequence', null],
        ['operation_id', null],
        ['api_version', 'v1'],
        ['data', {}],
        ['changes', {}],
      ])
      assert.deepEqual([actor.type, actor.user_id, actor.name], ['api_key', admin, 'The admin'])
      assert.match(actor.credential_id, /^key_/)
    },
  },
  {
    send: `POST ${ONE}/redeliver`,
    status: 202,
    reply: { event_id: '{event}' },
    keep: { again: 'id' },
  },
  {
    prepare: async (tx, known) => {
      const copy = await tx.one(payloadOf, { id: known.again ?? '' })
      assert.equal(copy?.payload, known.sent, 'the same bytes')
    },
    send: 'GET /api/v1/deliveries/{again}',
    status: 200,
    reply: { is_test: true, request: null, attempts: [] },
  },
])

const newestEvent = query((db) =>
  db
    .selectFrom('events')
    .select(['id', 'type', 'sequence', 'payload'])
    .orderBy('sequence', 'desc')
    .limit(1),
)

const payloadOf = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('deliveries').select('payload').where('id', '=', $.id),
)

const insertAttempt = insertRow(
  'delivery_attempts',
  'delivery_id',
  'number',
  'started_at',
  'duration_ms',
  'response_status',
  'response_body',
  'error',
  'url',
  'headers',
)

type AttemptedDelivery = Pick<DeliveryRow, 'id' | 'due_at' | 'attempt_count' | 'error' | 'blocked'>

const setAttempts = command((db, $: Scoped<AttemptedDelivery>) =>
  db
    .updateTable('deliveries')
    .set(pickSlots($, 'due_at', 'attempt_count', 'error', 'blocked'))
    .where('id', '=', $.id),
)

const leaveLog = command((db) =>
  db.updateTable('workspaces').set((is) => ({ log_from_sequence: is('last_sequence', '+', 1) })),
)
