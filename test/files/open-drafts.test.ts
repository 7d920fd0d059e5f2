import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openFiles } from '#files/open.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

test('a file storage closes once the files that are being received have ended', async () => {
  const files = openFiles({ dataDir: createTempDir(), s3: undefined })
  const [first, second] = [await files.draft(), await files.draft()]
  await first.write(Buffer.from('a'))
  let isClosed = false
  const closing = files.close().then(() => {
    isClosed = true
  })
  await first.discard()
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  assert.equal(isClosed, false)
  await second.discard()
  await closing
})
