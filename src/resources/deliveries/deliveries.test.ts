import assert from 'node:assert/strict'
import { type NewDelivery, QUEUES, queueDeliveries } from '#storage/deliveries.ts'
import { command, row, type Scoped } from '#storage/statement.ts'
import type { DeliveryRow } from '#storage/tables.ts'
import { at, type Step, scenario } from '#test/support/scenario.ts'
import { faulty, lists, refused } from '#test/support/steps.ts'

const HOOKS = '/api/v1/webhooks'
const HOOK = `${HOOKS}/{hook}`
const ONE = '/api/v1/deliveries/{first}'
const UNKNOWN = 'dlv_01k2m3n4p5q6r7s8t9v0w1x2y3'
const EVENT = 'evt_01k2m3n4p5q6r7s8t9v0w1x2y3'
const made: Step = {
  send: `POST ${HOOKS}`,
  body: { url: 'https://example.com/hook', events: ['*'] },
  status: 201,
  keep: { hook: 'id' },
}
const tested = (name: string): Step => ({
  send: `POST ${HOOK}/test`,
  status: 202,
  keep: { [name]: 'id' },
})
const disabled: Step = { send: `PATCH ${HOOK}`, body: { is_active: false }, status: 200 }

scenario('a test is queued at once, as an event that is in no log', [
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
    check: ({ body }) => assert.equal(at(body, 'next_attempt_at'), at(body, 'created_at')),
  },
  {
    send: `GET ${ONE}`,
    status: 200,
    reply: { id: '{first}', event_id: '{event}', request: null, attempts: [] },
    replyHeaders: { etag: null, 'cache-control': 'no-store' },
  },
  { send: 'GET /api/v1/events', status: 200, reply: { data: [] } },
])

scenario('a delivery is sent once more as a new one of the same event', [
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

scenario('deliveries are listed from the newest on, page by page', [
  made,
  tested('first'),
  tested('second'),
  tested('third'),
  lists(`${HOOK}/deliveries`, ['third', 'second', 'first']),
  lists(`${HOOK}/deliveries?sort=-created_at`, ['third', 'second', 'first']),
  lists(`${HOOK}/deliveries?sort=created_at`, ['first', 'second', 'third']),
  lists(`${HOOK}/deliveries?limit=2`, ['third', 'second'], { keep: { page: 'next_cursor' } }),
  lists(`${HOOK}/deliveries?limit=2&cursor={page}`, ['first']),
  refused(`GET ${HOOK}/deliveries?sort=created_at&cursor={page}`, 400, 'invalid_cursor'),
  { ...made, keep: { other: 'id' } },
  lists(`${HOOKS}/{other}/deliveries`, []),
])

scenario('deliveries are found by status, by kind and by event', [
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
  lists(`${HOOK}/deliveries?status=failed`, ['three', 'two']),
  lists(`${HOOK}/deliveries?status=pending`, ['five', 'four']),
  lists(`${HOOK}/deliveries?status=canceled`, []),
  lists(`${HOOK}/deliveries?status=failed,succeeded`, ['three', 'two', 'one']),
  lists(
    `${HOOK}/deliveries?status=failed,pending&sort=created_at&limit=3`,
    ['two', 'three', 'four'],
    {
      keep: { page: 'next_cursor' },
    },
  ),
  lists(`${HOOK}/deliveries?status=failed,pending&sort=created_at&limit=3&cursor={page}`, ['five']),
  refused(`GET ${HOOK}/deliveries?status=failed&cursor={page}`, 400, 'invalid_cursor'),
  lists(`${HOOK}/deliveries?event_type=task.created`, ['three', 'one']),
  lists(`${HOOK}/deliveries?event_type=webhook.test,member.added`, ['five', 'four']),
  lists(`${HOOK}/deliveries?event_type=task.created&status=failed`, ['three']),
  lists(`${HOOK}/deliveries?event_type=task.created,task.updated&status=succeeded`, ['one']),
  lists(`${HOOK}/deliveries?event_type=task.updated,member.added&status=succeeded,failed,pending`, [
    'four',
    'two',
  ]),
  lists(`${HOOK}/deliveries?event_id=${EVENT}`, ['three', 'two', 'one']),
  lists(`${HOOK}/deliveries?event_id=${EVENT}&status=failed&event_type=task.updated`, ['two']),
  lists(`${HOOK}/deliveries?event_id=${EVENT}&limit=1`, ['three'], {
    keep: { next: 'next_cursor' },
  }),
  lists(`${HOOK}/deliveries?event_id=${EVENT}&limit=1&cursor={next}`, ['two']),
  lists(`${HOOK}/deliveries?event_id=evt_01k2m3n4p5q6r7s8t9v0w1x2zz`, []),
  ...['status=done', 'status=failed,failed', 'event_type=task.exploded', 'event_id=evt_1'].map(
    (query) => refused(`GET ${HOOK}/deliveries?${query}`, 400, 'invalid_parameter'),
  ),
  refused(`GET ${HOOK}/deliveries?sort=status`, 400, 'invalid_parameter'),
  refused(`GET ${HOOK}/deliveries?webhook_id={hook}`, 400, 'invalid_parameter'),
])

scenario('a disabled webhook is sent nothing, not even on demand', [
  made,
  tested('first'),
  disabled,
  {
    send: `GET ${ONE}`,
    status: 200,
    reply: { status: 'canceled', next_attempt_at: null },
    check: ({ body }) => assert.match(at(body, 'completed_at'), /^20/),
  },
  refused(`POST ${HOOK}/test`, 409, 'webhook_disabled'),
  refused(`POST ${ONE}/redeliver`, 409, 'webhook_disabled'),
  refused(`POST ${HOOK}/replay`, 409, 'webhook_disabled', { body: { from_sequence: 1 } }),
  faulty(`POST ${HOOK}/test`, { x: 1 }, { x: 'unknown_field' }),
  faulty(`POST ${ONE}/redeliver`, { url: 'https://example.com' }, { url: 'unknown_field' }),
  faulty(`POST ${HOOK}/replay`, {}, { from_sequence: 'required' }),
  { send: `PATCH ${HOOK}`, body: { is_active: true }, status: 200 },
  { send: `POST ${ONE}/redeliver`, status: 202, reply: { status: 'pending' } },
])

scenario('the deliveries of a webhook go with it', [
  made,
  tested('first'),
  { send: `DELETE ${HOOK}?dry_run=true`, status: 204 },
  { send: `GET ${ONE}`, status: 200 },
  { send: `DELETE ${HOOK}`, status: 204 },
  refused(`GET ${ONE}`, 404, 'not_found'),
  refused(`POST ${ONE}/redeliver`, 404, 'not_found'),
  refused(`GET ${HOOK}/deliveries`, 404, 'not_found'),
  refused(`POST ${HOOK}/test`, 404, 'not_found'),
  refused(`POST ${HOOK}/replay`, 404, 'not_found', { body: { x: 1 } }),
])

scenario('what sends something cannot be rehearsed, but is done once for a key', [
  made,
  tested('first'),
  refused(`POST ${HOOK}/test?dry_run=true`, 400, 'invalid_parameter'),
  refused(`POST ${ONE}/redeliver?dry_run=true`, 400, 'invalid_parameter'),
  refused(`POST ${HOOK}/replay?dry_run=true`, 400, 'invalid_parameter', {
    body: { from_sequence: 1 },
  }),
  refused(`POST ${HOOK}/rotate-secret?dry_run=true`, 400, 'invalid_parameter'),
  { ...tested('second'), headers: { 'idempotency-key': 'once' } },
  {
    ...tested('same'),
    headers: { 'idempotency-key': 'once' },
    replyHeaders: { 'idempotency-replayed': 'true' },
  },
  lists(`${HOOK}/deliveries`, ['same', 'first']),
])

const ON_DELIVERIES = (id: string, hook: string): [send: string, body?: object][] => [
  [`GET /api/v1/deliveries/${id}`],
  [`POST /api/v1/deliveries/${id}/redeliver`],
  [`GET ${HOOKS}/${hook}/deliveries`],
  [`POST ${HOOKS}/${hook}/test`],
  [`POST ${HOOKS}/${hook}/replay`, { from_sequence: 'x' }],
]

scenario('deliveries are for owners and admins, and others learn not whether there is one', [
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
    ].map(([send, body]) => refused(send, 403, 'insufficient_role', { as, body })),
  ),
  ...[...ON_DELIVERIES('{first}', '{hook}')].map(([send, body]) =>
    refused(send, 404, 'not_found', { as: 'stranger', body }),
  ),
  ...[...ON_DELIVERIES(UNKNOWN, '{first}'), ...ON_DELIVERIES('{hook}', 'nothing')].map(
    ([send, body]) => refused(send, 404, 'not_found', { body }),
  ),
  { send: `GET ${ONE}`, as: ['webhooks:read'], status: 200 },
  { send: `GET ${HOOK}/deliveries`, as: ['webhooks:read'], status: 200 },
  { send: `POST ${HOOK}/test`, as: ['webhooks:write'], status: 202 },
  refused(`GET ${ONE}`, 403, 'insufficient_scope', { as: ['webhooks:write'] }),
  refused(`POST ${ONE}/redeliver`, 403, 'insufficient_scope', { as: ['webhooks:read'] }),
  refused(`POST ${HOOK}/test`, 403, 'insufficient_scope', { as: ['webhooks:read'] }),
  refused(`POST ${HOOK}/replay`, 403, 'insufficient_scope', { as: ['webhooks:read'], body: {} }),
  refused(`GET ${ONE}`, 401, 'authentication_required', { as: 'nobody' }),
])

/** Deliveries as a fan-out makes them, known from then on under their names. */
function queued(
  named: Record<string, Pick<NewDelivery, 'event_type' | 'sequence'> & { event_id?: string }>,
): NonNullable<Step['prepare']> {
  return async (tx, known) => {
    const about = { webhook_id: known.hook ?? '', activation: 0, event_id: EVENT }
    const rows = Object.entries(named).map(([lane, one]) => {
      return { ...about, ...one, queue: QUEUES.live, lane }
    })
    const ids = await queueDeliveries(tx, rows)
    for (const [index, name] of Object.keys(named).entries()) known[name] = ids[index] ?? ''
  }
}

const setStatus = command((db, $: Scoped<Pick<DeliveryRow, 'id' | 'status'>>) =>
  db
    .updateTable('deliveries')
    .set(row($, 'status'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

const notePending = command((db, $: Scoped<{ pending_count: number }>) =>
  db
    .updateTable('webhooks')
    .set(row($, 'pending_count'))
    .where('workspace_id', '=', $.workspace_id),
)
