import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTraceparent } from './otel-trace-recorder.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('parses a traceparent as defined by W3C Trace Context', () => {
  const remote = { traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true }
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), remote)
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-fe`), { ...remote, traceFlags: 0 })
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what.the.future.brings`), remote)
})

test('rejects invalid traceparent headers', () => {
  const wrong = [
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `cc-${TRACE}-${SPAN}-01.`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    [`00-${TRACE}-${SPAN}-01`],
  ]
  for (const header of wrong) assert.equal(parseTraceparent(header), undefined, String(header))
})
