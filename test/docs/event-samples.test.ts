import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXAMPLE_BASE_URL, eventExampleOf } from '#http/openapi/recorded-examples.ts'
import { EVENT_GUIDE } from '#test/support/examples/example-files.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { readCodeBlocks } from './code-blocks.ts'

test('the event types guide shows the recorded event of each type', () => {
  const samples = readCodeBlocks(EVENT_GUIDE).map(({ text }) =>
    JSON.parse(text.replaceAll('{{base_url}}', EXAMPLE_BASE_URL)),
  )
  assert.deepEqual(samples.map(({ type }) => type).toSorted(), EVENT_KINDS.toSorted())
  for (const sample of samples) {
    assert.deepEqual(sample, eventExampleOf(sample.type), 'run: npx node tools/record-examples.ts')
  }
})
