import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, rejectedStep } from '#test/support/scenario/steps.ts'

/** Larger than one chunk of a file stream. */
const BYTES = randomBytes(300_000)
const GET = 'GET /api/v1/attachments/{a}/content'

const upload: ScenarioStep = {
  send: 'POST /api/v1/tasks/{T}/attachments?filename=a',
  headers: { 'content-type': 'application/json' },
  raw: BYTES,
  status: 201,
  events: ['attachment.created'],
  keep: { a: 'id', sha256: 'sha256' },
}

const ranged = (
  range: string,
  start: number,
  end: number,
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: GET,
  headers: { range },
  status: 206,
  replyHeaders: {
    'content-range': `bytes ${start}-${end}/300000`,
    'content-length': String(end - start + 1),
    'content-disposition': `attachment; filename="a"; filename*=UTF-8''a`,
    etag: '"{sha256}"',
  },
  check: ({ bytes }) => assert.deepEqual(bytes, BYTES.subarray(start, end + 1)),
  ...more,
})

const whole = (headers: Record<string, string>): ScenarioStep => ({
  send: GET,
  headers,
  status: 200,
  replyHeaders: { 'content-length': '300000', 'content-range': null },
  check: ({ bytes }) => assert.deepEqual(bytes, BYTES),
})

scenario('downloads the uploaded bytes, whole or as one range', [
  createTaskStep('T'),
  upload,
  whole({}),
  ranged('bytes=0-0', 0, 0),
  ranged('bytes=100000-', 100_000, 299_999),
  ranged('bytes=-1', 299_999, 299_999),
  ranged('bytes=65535-131073', 65_535, 131_073),
  ranged('bytes=5-9', 5, 9, {
    send: GET.replace('GET', 'HEAD'),
    check: ({ bytes }) => assert.equal(bytes.length, 0),
  }),
  ranged('bytes=0-999999', 0, 299_999),
  ranged('bytes=-999999', 0, 299_999),
  ranged('Bytes=9-9', 9, 9),
  ...[
    '',
    'bytes=',
    'bytes=-',
    'bytes=5-2',
    'bytes=a-b',
    'bytes=0-1,5-6',
    'lines=1-2',
    'bytes=0-0x1',
  ]
    .concat(`bytes=${'9'.repeat(400)}-`)
    .map((range) => whole({ range })),
  whole({ range: 'bytes=0-1', 'if-range': '"another"' }),
  ranged('bytes=0-1', 0, 1, { headers: { range: 'bytes=0-1', 'if-range': '"{sha256}"' } }),
  ...['bytes=300000-', 'bytes=300000-300010', 'bytes=-0', 'bytes=999999999999999-'].map((range) =>
    rejectedStep(GET, 416, 'range_not_satisfiable', {
      headers: { range },
      replyHeaders: { 'content-range': 'bytes */300000', 'cache-control': 'no-store' },
    }),
  ),
  rejectedStep(`${GET}?download=1`, 400, 'invalid_parameter'),
  rejectedStep(GET, 401, 'authentication_required', { as: 'nobody' }),
])
