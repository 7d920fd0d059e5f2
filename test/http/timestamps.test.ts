import { scenario } from '../support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  rejectedStep,
  validationFailedStep,
} from '../support/scenario/steps.ts'

const TASK = '/api/v1/tasks/{One}'
const MOMENT = '2090-03-01T09:30:00.000Z'
const ACCEPTED = [
  '2090-03-01T09:30:00Z',
  '2090-03-01T09:30:00z',
  '2090-03-01T09:30:00.0009z',
  '2090-03-01T09:30:00+0000',
  '2090-03-01T09:30:00-0000',
  '2090-03-01T09:30:00.0+00:00',
  '2090-03-01T10:30:00.000999999+0100',
  '2090-03-01T04:00:00-0530',
]
const REJECTED = [
  '2090-03-01T09:30:00',
  '2090-03-01t09:30:00z',
  '2090-03-01T09:30:00+01',
  '2090-03-01',
  '2090-03-01T09:30:00+2400',
  '2090-03-01T09:30:00+0060',
  '2090-03-01T09:30:00 0000',
  '2090-03-01T24:00:00z',
  '2090-03-01T09:30:60z',
  '2090-02-29T09:30:00z',
  '9999-12-31T23:59:59-0001',
  '2090-03-01T09:30:00.z',
  '2090-03-01T09:30:00.0000000000z',
  '1969-12-31T23:59:59z',
]

scenario('accepts z and offsets without a colon in bodies, and returns UTC', [
  ...ACCEPTED.map((due_at) => createTaskStep('One', { due_at }, { reply: { due_at: MOMENT } })),
  ...ACCEPTED.map((due_at) => ({
    send: `PATCH ${TASK}`,
    body: { due_at },
    status: 200,
    reply: { due_at: MOMENT, version: 1 },
  })),
  ...REJECTED.map((due_at) =>
    validationFailedStep(`PATCH ${TASK}`, { due_at }, { due_at: 'invalid_format' }),
  ),
  { send: `GET ${TASK}`, status: 200, reply: { due_at: MOMENT, version: 1 } },
])

scenario('accepts z and offsets without a colon in queries', [
  createTaskStep('One'),
  ...ACCEPTED.flatMap((at) => {
    const time = encodeURIComponent(at)
    return [
      listStep(`/api/v1/tasks?created_before=${time}`, ['One']),
      listStep(`/api/v1/tasks?updated_since=${time}`, []),
    ]
  }),
  ...REJECTED.map((at) =>
    rejectedStep(
      `GET /api/v1/tasks?created_before=${encodeURIComponent(at)}`,
      400,
      'invalid_parameter',
      { reply: { error: { details: [{ field: 'created_before', code: 'invalid_format' }] } } },
    ),
  ),
  // A plus sign that is not percent-encoded is a space.
  rejectedStep(
    'GET /api/v1/tasks?created_before=2090-03-01T09:30:00+0000',
    400,
    'invalid_parameter',
  ),
])
