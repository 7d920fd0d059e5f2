import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#test/experiments/simulation/simulated-time.ts'
import { FairShare, RequestShares } from './fair-share.ts'

/** Sends requests of each workspace in each sample; returns the share of each that was admitted. */
function simulate(rate: number, requests: Record<string, number>, samples = 400) {
  const shares = new FairShare()
  shares.sample(rate)
  const admitted = new Map<string, number>()
  for (let sample = 0; sample < samples; sample += 1) {
    for (const [workspace, count] of Object.entries(requests)) {
      for (let n = 0; n < count; n += 1) {
        const isAdmitted = shares.shouldAdmit(workspace === 'unknown' ? undefined : workspace)
        if (isAdmitted) admitted.set(workspace, (admitted.get(workspace) ?? 0) + 1)
      }
    }
    shares.sample(rate)
  }
  return (workspace: string) =>
    (admitted.get(workspace) ?? 0) / ((requests[workspace] ?? 0) * samples)
}

const assertNear = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 0.06, `${actual}, not about ${expected}`)

test('a quiet workspace is admitted while a noisy one is refused', () => {
  const shareOf = simulate(0.5, { noisy: 98, quiet: 2 })
  assertNear(shareOf('quiet'), 1)
  assertNear(shareOf('noisy'), 48 / 98)
})

test('equal workspaces are admitted equally', () => {
  const shareOf = simulate(0.3, { one: 20, two: 20, three: 20 })
  for (const workspace of ['one', 'two', 'three']) assertNear(shareOf(workspace), 0.3)
})

test('what a quiet workspace leaves goes to the others', () => {
  const shareOf = simulate(0.5, { quiet: 5, middle: 25, noisy: 70 })
  assertNear(shareOf('quiet'), 1)
  assertNear(shareOf('middle'), 22.5 / 25)
  assertNear(shareOf('noisy'), 22.5 / 70)
})

test('a single workspace and unknown ones are admitted at the rate', () => {
  assertNear(simulate(0.2, { only: 50 })('only'), 0.2)
  assertNear(simulate(0.2, { unknown: 50 })('unknown'), 0.2)
})

test('all unknown workspaces together have one share', () => {
  const shareOf = simulate(0.5, { unknown: 90, one: 5, two: 5 })
  assertNear(shareOf('one'), 1)
  assertNear(shareOf('two'), 1)
  assertNear(shareOf('unknown'), 40 / 90)
})

test('admits all requests at the full rate, and knows nothing of before', () => {
  const shares = new FairShare()
  for (const rate of [0.02, 1]) {
    for (let n = 0; n < 100; n += 1) shares.shouldAdmit('noisy')
    shares.sample(rate)
  }
  for (let n = 0; n < 100; n += 1) assert.ok(shares.shouldAdmit('noisy'))
})

/** Sends writes of a noisy and a quiet workspace; returns the share of the quiet one's admitted. */
function simulateWrites(rate: number, writeRate: number, isRead = false): number {
  const shares = new RequestShares(createSeededRandom(1))
  shares.sample(rate, writeRate)
  const samples = 2_000
  let admitted = 0
  for (let sample = 0; sample < samples; sample += 1) {
    for (let n = 0; n < 98; n += 1) shares.shouldAdmit('noisy', isRead)
    for (let n = 0; n < 2; n += 1) if (shares.shouldAdmit('quiet', isRead)) admitted += 1
    shares.sample(rate, writeRate)
  }
  return admitted / (2 * samples)
}

test('writes that one of two rates refuses count for the other one too', () => {
  // At a rate of 0.02 half of the two quiet writes are admitted, and all of them at the other one.
  assertNear(simulateWrites(0.02, 0.5), 0.5)
  assertNear(simulateWrites(0.5, 0.02), 0.5)
  assertNear(simulateWrites(1, 0.02, true), 1)
})
