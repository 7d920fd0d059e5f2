import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_SLOTS } from '#webhooks/queue/slots.ts'
import { countMissingAttempts, HANGING_RECEIVERS, ONE_OF_TEN_HANGING } from './noisy-neighbours.ts'

/** A fifth of the backlog of the full experiment. */
const NOISY = { ...HANGING_RECEIVERS, waiting: HANGING_RECEIVERS.waiting / 5 }

test('hanging receivers delay no other webhook, in their workspace or another one', async () => {
  const options = { hanging: MAX_SLOTS.host, timeoutMs: 50_000 }
  assert.equal(await countMissingAttempts(ONE_OF_TEN_HANGING, NOISY, options), 0)
})
