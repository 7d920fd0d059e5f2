import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdmissionRate } from './overload.ts'

const SAMPLE_MS = 100
const ADAPTATION_MS = 2_000

interface AdmissionStrategy {
  rate: number
  sample(lag: { loop: number; threads: number }): void
}

/**
 * Simulates a server that is offered `load` times its capacity. Returns the share of the capacity
 * that was used, and the longest wait once the strategy had adapted.
 */
function simulate(
  load: number,
  strategy: AdmissionStrategy,
  refusalCost = 0,
): { goodput: number; wait: number } {
  let [backlog, done, wait] = [0, 0, 0]
  const samples = 600
  for (let at = 0; at < samples; at++) {
    backlog += load * SAMPLE_MS * strategy.rate
    const refusalMs = load * SAMPLE_MS * (1 - strategy.rate) * refusalCost
    const served = Math.min(backlog, Math.max(0, SAMPLE_MS - refusalMs))
    backlog -= served
    done += served
    if (at * SAMPLE_MS > ADAPTATION_MS) wait = Math.max(wait, backlog)
    strategy.sample({ loop: backlog, threads: 0 })
  }
  return { goodput: done / (samples * SAMPLE_MS), wait }
}

/** Refuses all requests until the backlog is gone, and then admits all. */
class AllOrNothing {
  rate = 1
  #lateSamples = 0

  sample({ loop }: { loop: number }): void {
    this.#lateSamples = loop > 200 ? this.#lateSamples + 1 : 0
    this.rate = this.#lateSamples >= 2 ? 0 : 1
  }
}

for (const load of [1.5, 3, 10]) {
  test(`at ${load} times its capacity, a server keeps its throughput and waits stay short`, () => {
    const { goodput, wait } = simulate(load, new AdmissionRate())
    assert.ok(goodput >= 0.9, `${goodput} of the capacity`)
    assert.ok(wait <= 500, `${wait} ms`)
  })
}

test('control: a strategy that admits all or none makes admitted requests wait', () => {
  assert.ok(simulate(10, new AllOrNothing()).wait > 1_000)
})

test('sheds for a busy thread pool, ignores a single late sample, and recovers to all requests', () => {
  const admission = new AdmissionRate()
  const sample = (loop: number, threads: number, times = 1) => {
    for (let at = 0; at < times; at++) admission.sample({ loop, threads })
    return admission.rate
  }
  assert.equal(sample(5_000, 5_000), 1)
  assert.equal(sample(0, 0), 1)
  assert.equal(sample(199, 499, 50), 1)
  assert.ok(sample(0, 501, 2) < 0.5)
  assert.ok(sample(0, 501, 200) > 0, 'some requests are always admitted, to notice a recovery')
  assert.equal(sample(0, 0, 15), 1, 'within two seconds after the end of a stall')
})
