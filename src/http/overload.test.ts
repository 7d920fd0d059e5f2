import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Share } from './overload.ts'

const SAMPLE_MS = 100
const CATCHING_UP_MS = 2_000

interface Letting {
  of: number
  sample(late: { loop: number; threads: number }): void
}

/**
 * A server that does in a sample as much as a sample holds, and is offered so many times as much: gives
 * what it did of what it could, and the longest wait once it had found out.
 */
function offered(times: number, share: Letting, refusalCosts = 0): { good: number; wait: number } {
  let [backlog, done, wait] = [0, 0, 0]
  const samples = 600
  for (let at = 0; at < samples; at++) {
    backlog += times * SAMPLE_MS * share.of
    const spare = Math.max(0, SAMPLE_MS - times * SAMPLE_MS * (1 - share.of) * refusalCosts)
    const did = Math.min(backlog, spare)
    backlog -= did
    done += did
    if (at * SAMPLE_MS > CATCHING_UP_MS) wait = Math.max(wait, backlog)
    share.sample({ loop: backlog, threads: 0 })
  }
  return { good: done / (samples * SAMPLE_MS), wait }
}

/** All or nothing: refuses until it has caught up, and then lets in all. */
class AllOrNothing {
  of = 1
  #late = 0

  sample({ loop }: { loop: number }): void {
    this.#late = loop > 200 ? this.#late + 1 : 0
    this.of = this.#late >= 2 ? 0 : 1
  }
}

for (const times of [1.5, 3, 10]) {
  test(`${times} times too much: as much is served as can be, and nobody waits long`, () => {
    const { good, wait } = offered(times, new Share())
    assert.ok(good >= 0.9, `${good} of what could be served`)
    assert.ok(wait <= 500, `${wait} ms`)
  })
}

test('one that lets in all or nothing makes who is let in wait: the model finds it out', () => {
  assert.ok(offered(10, new AllOrNothing()).wait > 1_000)
})

test('what threads do counts as well, one late turn does not, and all is let in again', () => {
  const share = new Share()
  const sample = (loop: number, threads: number, times = 1) => {
    for (let at = 0; at < times; at++) share.sample({ loop, threads })
    return share.of
  }
  assert.equal(sample(5_000, 5_000), 1)
  assert.equal(sample(0, 0), 1)
  assert.equal(sample(199, 499, 50), 1)
  assert.ok(sample(0, 501, 2) < 0.5)
  assert.ok(sample(0, 501, 200) > 0, 'something is always let in, to find out')
  assert.equal(sample(0, 0, 15), 1, 'after a stall that is over, within two seconds')
})
