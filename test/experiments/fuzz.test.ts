import assert from 'node:assert/strict'
import { test } from 'node:test'
import { published as routes } from '../../src/app.ts'
import { createTestClock } from '../support/clock.ts'
import { docketOn } from '../support/engines.ts'
import { fuzz } from './fuzz/run.ts'
import { serverWith } from './world/doctored.ts'
import { nameOf } from './world/requests.ts'

const { FUZZ_REQUESTS = '4000', FUZZ_SEED, FUZZ_LANES = '0,1,2,3' } = process.env
const seed = Number(FUZZ_SEED ?? Date.now() % 1_000_000)
const lanes = FUZZ_LANES.split(',').map(Number)

test('no request whatever is answered with a fault, and both engines answer alike', async (t) => {
  t.diagnostic(`seed ${seed}`)
  const lent = { clock: createTestClock() }
  const pair = [await docketOn('sqlite', {}, lent), await docketOn('postgres', {}, lent)] as const
  const { faults, statuses, ...rest } = await fuzz(pair, lent.clock, {
    requests: Number(FUZZ_REQUESTS),
    seed,
    lanes,
  })
  t.diagnostic(JSON.stringify({ ...rest, statuses }))
  assert.deepEqual(faults, [])
  assert.ok((statuses[200] ?? 0) + (statuses[201] ?? 0) > rest.requests / 4, 'many are accepted')
})

test('a handler that throws on U+0000 is found out', async () => {
  // Nine of ten seeds find it.
  let found: string[] = []
  for (let seed = 1; seed <= 5 && found.length === 0; seed += 1) found = await foundThrowing(seed)
  assert.match(found.join('\n'), /answers 500/)
})

async function foundThrowing(seed: number): Promise<string[]> {
  const clock = createTestClock()
  const served = await docketOn('sqlite', {}, { clock })
  const server = await serverWith(served, {
    routes: routes.map((route) =>
      nameOf(route.endpoint) === 'PATCH /api/v1/tasks/:id'
        ? {
            ...route,
            subject: (tx, asked) => {
              if (JSON.stringify(asked.body).includes('\\u0000')) throw new Error('U+0000')
              return route.subject(tx, asked)
            },
          }
        : route,
    ),
  })
  const { faults } = await fuzz([served, { ...served, server }], clock, {
    requests: 10_000,
    seed,
    lanes: [6, 7],
  })
  return faults
}
