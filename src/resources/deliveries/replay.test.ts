import assert from 'node:assert/strict'
import { command, pickSlots, type Scoped } from '#db/core/statement.ts'
import { toJson } from '#lib/json.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep, validationFailedSteps } from '#test/support/scenario/steps.ts'

const REPLAY = '/api/v1/webhooks/{hook}/replay'
const made: ScenarioStep = {
  send: 'POST /api/v1/webhooks',
  body: { url: 'https://example.com/hook', events: ['*'] },
  status: 201,
  keep: { hook: 'id' },
}

scenario('a replay accepts only a range within the event log', [
  made,
  rejectedStep(`POST ${REPLAY}`, 422, 'validation_failed', {
    body: { from_sequence: 1 },
    check: ({ body }) => assert.match(JSON.stringify(body), /newest sequence is 0\./),
  }),
  {
    prepare: async (tx) => {
      for (let count = 0; count < 3; count++) {
        tx.emit('member.added', toJson({}), { subject_id: 'usr_1', project_id: null })
      }
    },
    send: `POST ${REPLAY}`,
    body: { from_sequence: 2 },
    status: 202,
    reply: { queued: 2, from_sequence: 2, to_sequence: 3 },
    replyHeaders: { location: null, 'x-operation-id': /^opr_/ },
  },
  {
    send: `POST ${REPLAY}`,
    body: { from_sequence: 1, to_sequence: 1 },
    status: 202,
    reply: { queued: 1, from_sequence: 1, to_sequence: 1 },
  },
  {
    send: `POST ${REPLAY}`,
    body: { from_sequence: 3, to_sequence: 99 },
    status: 202,
    reply: { queued: 1, from_sequence: 3, to_sequence: 99 },
  },
  rejectedStep(`POST ${REPLAY}`, 422, 'validation_failed', {
    body: { from_sequence: 4 },
    reply: {
      error: {
        details: [
          {
            field: 'from_sequence',
            code: 'too_large',
            message: '`from_sequence` must be at most 3, the sequence of the newest event.',
          },
        ],
      },
    },
  }),
  ...validationFailedSteps(`POST ${REPLAY}`, [
    [{}, { from_sequence: 'required' }],
    [{ to_sequence: 3 }, { from_sequence: 'required' }],
    [{ from_sequence: -1 }, { from_sequence: 'too_small' }],
    [{ from_sequence: 0, to_sequence: 3 }, { from_sequence: 'too_small' }],
  ]),
  rejectedStep(`POST ${REPLAY}`, 422, 'validation_failed', {
    body: { from_sequence: 0 },
    reply: { error: { message: '`from_sequence` must be at least 1.' } },
  }),
  ...validationFailedSteps(`POST ${REPLAY}`, [
    [{ from_sequence: 1.5 }, { from_sequence: 'invalid_type' }],
    [{ from_sequence: '1' }, { from_sequence: 'invalid_type' }],
    [{ from_sequence: 1, to_sequence: null }, { to_sequence: 'not_nullable' }],
    [{ from_sequence: 3, to_sequence: 2 }, { to_sequence: 'invalid_range' }],
    [{ from_sequence: 1, limit: 5 }, { limit: 'unknown_field' }],
  ]),
  rejectedStep(`POST ${REPLAY}`, 400, 'invalid_json'),
  {
    prepare: (tx) => tx.run(moveLog, { log_from_sequence: 3 }),
    send: `POST ${REPLAY}`,
    body: { from_sequence: 2 },
    status: 410,
    reply: { error: { type: 'gone', details: [{ field: 'from_sequence' }] } },
    check: ({ body }) => assert.match(JSON.stringify(body), /has the sequence 3\./),
  },
  { send: `POST ${REPLAY}`, body: { from_sequence: 3 }, status: 202, reply: { queued: 1 } },
])

scenario('rejects a replay while too many deliveries are pending', [
  made,
  rejectedStep(`POST ${REPLAY}`, 409, 'limit_reached', {
    prepare: async (tx) => {
      tx.emit('member.added', toJson({}), { subject_id: 'usr_1', project_id: null })
      await tx.run(setWaiting, { pending_count: 100_000 })
    },
    body: { from_sequence: 1 },
  }),
  {
    prepare: (tx) => tx.run(setWaiting, { pending_count: 0 }),
    send: `POST ${REPLAY}`,
    body: { from_sequence: 1 },
    status: 202,
    reply: { queued: 1 },
  },
])

scenario('rejects a replay while too many others have events left to queue', [
  made,
  rejectedStep(`POST ${REPLAY}`, 409, 'limit_reached', {
    prepare: async (tx, { hook = '' }) => {
      tx.emit('member.added', toJson({}), { subject_id: 'usr_1', project_id: null })
      for (let n = 0; n < 10; n += 1) await tx.run(insertReplay, { id: `r${n}`, webhook_id: hook })
    },
    body: { from_sequence: 1 },
    check: ({ body }) => assert.match(JSON.stringify(body), /10 replays under way/),
  }),
  {
    prepare: async (tx) => void (await tx.run(endReplay, { id: 'r0' })),
    send: `POST ${REPLAY}`,
    body: { from_sequence: 1 },
    status: 202,
    reply: { queued: 1 },
  },
])

const insertReplay = command((db, $: Scoped<{ id: string; webhook_id: string }>) =>
  db.insertInto('replays').values({
    ...pickSlots($, 'workspace_id', 'id', 'webhook_id'),
    activation: 1,
    next_sequence: 1,
    to_sequence: 1,
  }),
)
const endReplay = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('replays').where('id', '=', $.id),
)
const setWaiting = command((db, $: Scoped<{ pending_count: number }>) =>
  db.updateTable('webhooks').set(pickSlots($, 'pending_count')),
)
const moveLog = command((db, $: Scoped<{ log_from_sequence: number }>) =>
  db.updateTable('workspaces').set(pickSlots($, 'log_from_sequence')),
)
