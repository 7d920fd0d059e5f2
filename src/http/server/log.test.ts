import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, createReadStream, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { openLog, parseTraceparent } from './log.ts'

test('the lines of requests and all others are in the order in which they were logged', () => {
  const file = join(createTempDir(), 'log')
  const log = openLog('info', openSync(file, 'w'))
  log.line('{"msg":"a request"}')
  log.fatal('an error')
  log.line('{"msg":"another request"}')
  log.flushNow()
  const messages = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
  assert.deepEqual(messages, ['a request', 'an error', 'another request'])
})

test('lines that are logged while others are written follow by themselves', {
  timeout: 30_000,
}, async (t) => {
  const pipe = join(createTempDir(), 'pipe')
  execFileSync('mkfifo', [pipe])
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const fd = openSync(pipe, 'r+')
  const log = openLog('info', fd)
  // More than a pipe takes: the write waits for a reader.
  log.line('x'.repeat(200_000))
  log.line('a request')
  log.error('an error')
  t.mock.timers.tick(250)
  const reader = createReadStream(pipe, { encoding: 'utf8' })
  let text = ''
  reader.on('data', (chunk) => {
    text += chunk
  })
  while (!text.includes('an error') && !t.signal.aborted) {
    t.mock.timers.tick(250)
    await setImmediate()
  }
  // The last writer is gone: that ends the reader.
  closeSync(fd)
  await finished(reader)
  assert.match(text, /^x{200000}\na request\n.*an error.*\n$/)
})

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('a traceparent is taken as W3C Trace Context defines it', () => {
  for (const valid of [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-fe`])
    assert.equal(parseTraceparent(valid), valid)
  const later = `cc-${TRACE}-${SPAN}-01`
  assert.equal(parseTraceparent(`${later}-what.the.future"brings`), later)
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
