import assert from 'node:assert/strict'
import { command, pickSlots, type Scoped } from '#db/core/statement.ts'
import {
  DELIVERY_QUEUES,
  type NewDelivery,
  queueDeliveries,
} from '#db/deliveries/delivery-queue.ts'
import type { DeliveryRow } from '#db/schema/tables.ts'
import { toJson } from '#lib/json.ts'
import { type ScenarioStep, scenario, valueAt } from '#test/support/scenario/scenario.ts'
import { listStep, rejectedStep, validationFailedStep } from '#test/support/scenario/steps.ts'

const HOOKS = '/api/v1/webhooks'
const HOOK = `${HOOKS}/{hook}`
const ONE = '/api/v1/deliveries/{first}'
const UNKNOWN = 'dlv_01k2m3n4p5q6r7s8t9v0w1x2y3'
const EVENT = 'evt_01k2m3n4p5q6r7s8t9v0w1x2y3'
const made: ScenarioStep = {
  send: `POST ${HOOKS}`,
  body: { url: 'https://example.com/hook', events: ['*'] },
  status: 201,
  keep: { hook: 'id' },
}
const tested = (name: string): ScenarioStep => ({
  send: `POST ${HOOK}/test`,
  status: 202,
  keep: { [name]: 'id' },
})
const disabled: ScenarioStep = { send: `PATCH ${HOOK}`, body: { is_active: false }, status: 200 }

scenario('queues a test delivery whose event is not in the event log', [
  made,
  {
    send: `POST ${HOOK}/test`,
    body: {},
    status: 202,
    reply: {
      webhook_id: '{hook}',
      event_type: 'webhook.test',
      sequence: null,
      status: 'pending',
      attempt_count: 0,
      last_attempt_at: null,
      response_status: null,
      duration_ms: null,
      error: null,
      is_test: true,
      redelivery_of_id: null,
      completed_at: null,
    },
    replyHeaders: { location: null, etag: null, 'x-operation-id': /^opr_/ },
    keep: { first: 'id', event: 'event_id', made_at: 'created_at' },
    check: ({ body }) =>
      assert.equal(valueAt(body, 'next_attempt_at'), valueAt(body, 'created_at')),
  },
  {
    send: `GET ${ONE}`,
    status: 200,
    reply: { id: '{first}', event_id: '{event}', request: null, attempts: [] },
    replyHeaders: { etag: null, 'cache-control': 'no-store' },
  },
  { send: 'GET /api/v1/events', status: 200, reply: { data: [] } },
])

scenario('redelivers an event as a new delivery', [
  made,
  tested('first'),
  {
    send: `POST ${ONE}/redeliver`,
    status: 202,
    reply: { redelivery_of_id: '{first}', event_type: 'webhook.test', is_test: true },
    replyHeaders: { location: null, 'x-operation-id': /^opr_/ },
    keep: { again: 'id' },
  },
  {
    prepare: queued({ event: { event_type: 'task.created', sequence: 7 } }),
    send: 'POST /api/v1/deliveries/{event}/redeliver',
    body: {},
    status: 202,
    reply: {
      webhook_id: '{hook}',
      event_id: EVENT,
      event_type: 'task.created',
      sequence: 7,
      status: 'pending',
      attempt_count: 0,
      is_test: false,
      redelivery_of_id: '{event}',
    },
    keep: { next: 'id' },
    check: (_, { event, next }) => assert.notEqual(event, next),
  },
  {
    send: 'POST /api/v1/deliveries/{next}/redeliver',
    status: 202,
    reply: { redelivery_of_id: '{next}', event_id: EVENT },
  },
])

scenario('lists deliveries newest first, page by page', [
  made,
  tested('first'),
  tested('second'),
  tested('third'),
  listStep(`${HOOK}/deliveries`, ['third', 'second', 'first']),
  listStep(`${HOOK}/deliveries?sort=-created_at`, ['third', 'second', 'first']),
  listStep(`${HOOK}/deliveries?sort=created_at`, ['first', 'second', 'third']),
  listStep(`${HOOK}/deliveries?limit=2`, ['third', 'second'], { keep: { page: 'next_cursor' } }),
  listStep(`${HOOK}/deliveries?limit=2&cursor={page}`, ['first']),
  rejectedStep(`GET ${HOOK}/deliveries?sort=created_at&cursor={page}`, 400, 'invalid_cursor'),
  { ...made, keep: { other: 'id' } },
  listStep(`${HOOKS}/{other}/deliveries`, []),
])

scenario('filters deliveries by status, event type and event', [
  made,
  {
    prepare: async (tx, known) => {
      await queued({
        one: { event_type: 'task.created', sequence: 1 },
        two: { event_type: 'task.updated', sequence: 2 },
        three: { event_type: 'task.created', sequence: 3 },
        four: { event_type: 'member.added', sequence: 4, event_id: `${EVENT.slice(0, -1)}4` },
      })(tx, known)
      await tx.run(setStatus, { id: known.one ?? '', status: 'succeeded' })
      await tx.run(setStatus, { id: known.two ?? '', status: 'failed' })
      await tx.run(setStatus, { id: known.three ?? '', status: 'failed' })
      await tx.run(notePending, { pending_count: 1 })
    },
    ...tested('five'),
  },
  listStep(`${HOOK}/deliveries?status=failed`, ['three', 'two']),
  listStep(`${HOOK}/deliveries?status=pending`, ['five', 'four']),
  listStep(`${HOOK}/deliveries?status=canceled`, []),
  listStep(`${HOOK}/deliveries?status=failed,succeeded`, ['three', 'two', 'one']),
  listStep(
    `${HOOK}/deliveries?status=failed,pending&sort=created_at&limit=3`,
    ['two', 'three', 'four'],
    {
      keep: { page: 'next_cursor' },
    },
  ),
  listStep(`${HOOK}/deliveries?status=failed,pending&sort=created_at&limit=3&cursor={page}`, [
    'five',
  ]),
  rejectedStep(`GET ${HOOK}/deliveries?status=failed&cursor={page}`, 400, 'invalid_cursor'),
  listStep(`${HOOK}/deliveries?event_type=task.created`, ['three', 'one']),
  listStep(`${HOOK}/deliveries?event_type=webhook.test,member.added`, ['five', 'four']),
  listStep(`${HOOK}/deliveries?event_type=task.created&status=failed`, ['three']),
  listStep(`${HOOK}/deliveries?event_type=task.created,task.updated&status=succeeded`, ['one']),
  listStep(
    `${HOOK}/deliveries?event_type=task.updated,member.added&status=succeeded,failed,pending`,
    ['four', 'two'],
  ),
  listStep(`${HOOK}/deliveries?event_id=${EVENT}`, ['three', 'two', 'one']),
  listStep(`${HOOK}/deliveries?event_id=${EVENT}&status=failed&event_type=task.updated`, ['two']),
  listStep(`${HOOK}/deliveries?event_id=${EVENT}&limit=1`, ['three'], {
    keep: { next: 'next_cursor' },
  }),
  listStep(`${HOOK}/deliveries?event_id=${EVENT}&limit=1&cursor={next}`, ['two']),
  listStep(`${HOOK}/deliveries?event_id=evt_01k2m3n4p5q6r7s8t9v0w1x2zz`, []),
  ...['status=done', 'status=failed,failed', 'event_type=task.exploded', 'event_id=evt_1'].map(
    (query) => rejectedStep(`GET ${HOOK}/deliveries?${query}`, 400, 'invalid_parameter'),
  ),
  rejectedStep(`GET ${HOOK}/deliveries?sort=status`, 400, 'invalid_parameter'),
  rejectedStep(`GET ${HOOK}/deliveries?webhook_id={hook}`, 400, 'invalid_parameter'),
])

scenario('sends nothing to a disabled webhook, not even on demand', [
  made,
  tested('first'),
  disabled,
  {
    send: `GET ${ONE}`,
    status: 200,
    reply: { status: 'canceled', next_attempt_at: null },
    check: ({ body }) => assert.match(valueAt(body, 'completed_at'), /^20/),
  },
  rejectedStep(`POST ${HOOK}/test`, 409, 'webhook_disabled'),
  rejectedStep(`POST ${ONE}/redeliver`, 409, 'webhook_disabled'),
  rejectedStep(`POST ${HOOK}/replay`, 409, 'webhook_disabled', {
    prepare: async (tx) => {
      tx.emit('member.added', toJson({}), { subject_id: 'usr_1', project_id: null })
    },
    body: { from_sequence: 1 },
  }),
  validationFailedStep(`POST ${HOOK}/test`, { x: 1 }, { x: 'unknown_field' }),
  validationFailedStep(
    `POST ${ONE}/redeliver`,
    { url: 'https://example.com' },
    { url: 'unknown_field' },
  ),
  validationFailedStep(`POST ${HOOK}/replay`, {}, { from_sequence: 'required' }),
  { send: `PATCH ${HOOK}`, body: { is_active: true }, status: 200 },
  { send: `POST ${ONE}/redeliver`, status: 202, reply: { status: 'pending' } },
])

scenario('deleting a webhook deletes its deliveries', [
  made,
  tested('first'),
  { send: `DELETE ${HOOK}?dry_run=true`, status: 204 },
  { send: `GET ${ONE}`, status: 200 },
  { send: `DELETE ${HOOK}`, status: 204 },
  rejectedStep(`GET ${ONE}`, 404, 'not_found'),
  rejectedStep(`POST ${ONE}/redeliver`, 404, 'not_found'),
  rejectedStep(`GET ${HOOK}/deliveries`, 404, 'not_found'),
  rejectedStep(`POST ${HOOK}/test`, 404, 'not_found'),
  rejectedStep(`POST ${HOOK}/replay`, 404, 'not_found', { body: { x: 1 } }),
])

scenario('endpoints that send take no dry run, but an idempotency key', [
  made,
  tested('first'),
  rejectedStep(`POST ${HOOK}/test?dry_run=true`, 400, 'invalid_parameter'),
  rejectedStep(`POST ${ONE}/redeliver?dry_run=true`, 400, 'invalid_parameter'),
  rejectedStep(`POST ${HOOK}/replay?dry_run=true`, 400, 'invalid_parameter', {
    body: { from_sequence: 1 },
  }),
  rejectedStep(`POST ${HOOK}/rotate-secret?dry_run=true`, 400, 'invalid_parameter'),
  { ...tested('second'), headers: { 'idempotency-key': 'once' } },
  {
    ...tested('same'),
    headers: { 'idempotency-key': 'once' },
    replyHeaders: { 'idempotency-replayed': 'true' },
  },
  listStep(`${HOOK}/deliveries`, ['same', 'first']),
])

const ON_DELIVERIES = (id: string, hook: string): [send: string, body?: object][] => [
  [`GET /api/v1/deliveries/${id}`],
  [`POST /api/v1/deliveries/${id}/redeliver`],
  [`GET ${HOOKS}/${hook}/deliveries`],
  [`POST ${HOOKS}/${hook}/test`],
  [`POST ${HOOKS}/${hook}/replay`, { from_sequence: 'x' }],
]

scenario('only owners and admins see deliveries; for others existence is hidden', [
  made,
  tested('first'),
  { send: `GET ${ONE}`, as: 'admin', status: 200 },
  { send: `POST ${ONE}/redeliver`, as: 'admin', status: 202 },
  { send: `POST ${HOOK}/test`, as: 'admin', status: 202 },
  ...(['member', 'guest'] as const).flatMap((as) =>
    [
      ...ON_DELIVERIES('{first}', '{hook}'),
      ...ON_DELIVERIES(UNKNOWN, 'whk_01k2m3n4p5q6r7s8t9v0w1x2y3'),
      ...ON_DELIVERIES('nothing', 'nothing'),
    ].map(([send, body]) => rejectedStep(send, 403, 'insufficient_role', { as, body })),
  ),
  ...[...ON_DELIVERIES('{first}', '{hook}')].map(([send, body]) =>
    rejectedStep(send, 404, 'not_found', { as: 'stranger', body }),
  ),
  ...[...ON_DELIVERIES(UNKNOWN, '{first}'), ...ON_DELIVERIES('{hook}', 'nothing')].map(
    ([send, body]) => rejectedStep(send, 404, 'not_found', { body }),
  ),
  { send: `GET ${ONE}`, as: ['webhooks:read'], status: 200 },
  { send: `GET ${HOOK}/deliveries`, as: ['webhooks:read'], status: 200 },
  { send: `POST ${HOOK}/test`, as: ['webhooks:write'], status: 202 },
  rejectedStep(`GET ${ONE}`, 403, 'insufficient_scope', { as: ['webhooks:write'] }),
  rejectedStep(`POST ${ONE}/redeliver`, 403, 'insufficient_scope', { as: ['webhooks:read'] }),
  rejectedStep(`POST ${HOOK}/test`, 403, 'insufficient_scope', { as: ['webhooks:read'] }),
  rejectedStep(`POST ${HOOK}/replay`, 403, 'insufficient_scope', {
    as: ['webhooks:read'],
    body: {},
  }),
  rejectedStep(`GET ${ONE}`, 401, 'authentication_required', { as: 'nobody' }),
])

/** Inserts deliveries as the fan-out does; later steps refer to them by name. */
function queued(
  named: Record<string, Pick<NewDelivery, 'event_type' | 'sequence'> & { event_id?: string }>,
): NonNullable<ScenarioStep['prepare']> {
  return async (tx, known) => {
    const about = { webhook_id: known.hook ?? '', activation: 0, event_id: EVENT }
    const rows = Object.entries(named).map(([lane, one]) => {
      return { ...about, ...one, queue: DELIVERY_QUEUES.live, lane }
    })
    const ids = await queueDeliveries(tx, rows)
    for (const [index, name] of Object.keys(named).entries()) known[name] = ids[index] ?? ''
  }
}

const setStatus = command((db, $: Scoped<Pick<DeliveryRow, 'id' | 'status'>>) =>
  db.updateTable('deliveries').set(pickSlots($, 'status')).where('id', '=', $.id),
)

const notePending = command((db, $: Scoped<{ pending_count: number }>) =>
  db.updateTable('webhooks').set(pickSlots($, 'pending_count')),
)
