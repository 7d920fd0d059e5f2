import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#test/delivery/simulated-time.ts'
import { Admission, SAMPLE_INTERVAL_MS } from './overload.ts'

const REQUESTS_PER_MS = 2
/** The work of a request that a refusal costs. */
const REFUSAL_COST = 0.02
const MAX_WAIT_MS = 300
const MAX_QUEUE_LENGTH = 1_000
const SECONDS = 60
const ADAPTATION_SECONDS = 5

/**
 * Simulates a server to which workspaces send `loads` times its capacity. Returns the share of the
 * capacity that was used for admitted requests, the longest wait once the rate had adapted, and the
 * share of the requests of each workspace that was admitted.
 */
function simulate(loads: Record<string, number>) {
  const random = createSeededRandom(1)
  const admission = new Admission(random)
  const workspaces = Object.entries(loads).map(([name, load]) => {
    return { name, load, due: 0, sent: 0, admitted: 0 }
  })
  const queue: number[] = []
  let [served, wait, spare] = [0, 0, 0]
  for (let now = 1; now <= SECONDS * 1_000; now += 1) {
    spare = Math.min(spare, 0) + REQUESTS_PER_MS
    for (const workspace of workspaces) {
      workspace.due += workspace.load * REQUESTS_PER_MS
      for (; workspace.due >= 1; workspace.due -= 1) {
        workspace.sent += 1
        const key = workspace.name === 'unknown' ? undefined : workspace.name
        const isAdmitted = admission.shouldAdmit(key) && queue.length < MAX_QUEUE_LENGTH
        if (isAdmitted) {
          workspace.admitted += 1
          queue.push(now)
        } else spare -= REFUSAL_COST
      }
    }
    for (; spare > 0 && queue.length > 0; spare -= 1) {
      const since = queue.shift() ?? now
      if (now > ADAPTATION_SECONDS * 1_000) wait = Math.max(wait, now - since)
      served += 1
    }
    if (now % SAMPLE_INTERVAL_MS > 0) continue
    // Other work on the machine delays the process by chance.
    admission.sample(Math.max((now - (queue[0] ?? now)) / MAX_WAIT_MS, random() / 2))
  }
  const goodput = served / (SECONDS * 1_000 * REQUESTS_PER_MS)
  const shares = workspaces.map(({ name, sent, admitted }) => [name, admitted / sent] as const)
  return { goodput, wait, admitted: new Map<string, number>(shares) }
}

const assertNear = (actual: number | undefined, expected: number) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 0.05, `${actual}, not about ${expected}`)

for (const load of [1.5, 3, 10]) {
  test(`at ${load} times its capacity, a server keeps its throughput and waits stay short`, () => {
    const { goodput, wait } = simulate({ only: load })
    const capacity = 1 - load * REFUSAL_COST
    assert.ok(goodput >= 0.9 * capacity, `${goodput} of the capacity`)
    assert.ok(wait <= 600, `${wait} ms`)
  })
}

test('a workspace that asks for less than an equal share is not refused', () => {
  const { admitted } = simulate({ noisy: 3, middle: 0.4, quiet: 0.02 })
  assertNear(admitted.get('quiet'), 1)
  assertNear(admitted.get('middle'), 1)
  assertNear(admitted.get('noisy'), (1 - 0.42) / 3)
})

test('workspaces that ask for more share the rest equally', () => {
  const { admitted } = simulate({ one: 1, two: 2, quiet: 0.1 })
  assertNear(admitted.get('quiet'), 1)
  assertNear(admitted.get('one'), 0.45)
  assertNear(admitted.get('two'), 0.45 / 2)
})

test('all unknown workspaces together have one share', () => {
  const { admitted } = simulate({ unknown: 3, one: 0.4 })
  assertNear(admitted.get('one'), 1)
  assertNear(admitted.get('unknown'), 0.6 / 3)
})

test('ignores a single late sample, sheds from the second on, and recovers to all requests', () => {
  const admission = new Admission()
  const sample = (lag: number, times = 1) => {
    for (let n = 0; n < times; n += 1) admission.sample(lag)
    return admission.rate
  }
  assert.equal(sample(25), 1)
  assert.equal(sample(0.99, 50), 1)
  assert.ok(sample(1.5, 2) < 1)
  assert.equal(sample(0, 20), 1, 'within two seconds after the end of a stall')
  assert.ok(sample(5, 200) > 0, 'some requests are always admitted, to notice a recovery')
  assert.equal(sample(0, 50), 1, 'within five seconds after the end of an overload')
  for (let n = 0; n < 100; n += 1) assert.ok(admission.shouldAdmit('noisy'))
})
