import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openTestDocket } from '../engines/test-docket.ts'
import { createTestClock } from '../system/test-clock.ts'
import { createTestWorkspace } from '../world/test-workspace.ts'
import type { SpenderTask } from './programs/rate-limit-spender.ts'
import { findEntry } from './server-process.ts'
import { withinOneMinute } from './within-one-minute.ts'

const PROCESSES = 4
const SPENDER = findEntry('test/support/server/programs/rate-limit-spender.ts')
export const endOfNextMinute = () => (Math.floor(Date.now() / 60_000) + 2) * 60_000

type Spend = (spending: SpenderTask) => Promise<Map<string, number[]>>

/** Starts processes that spend together, and that return the counts that they got, by name. */
export function startSpenders(): { spend: Spend; end(): void } {
  const spenders = Array.from({ length: PROCESSES }, () => fork(SPENDER))
  return {
    spend: (spending) => spendInProcesses(spenders, spending),
    end() {
      for (const spender of spenders) spender.disconnect()
    },
  }
}

async function spendInProcesses(
  spenders: readonly ChildProcess[],
  spending: SpenderTask,
): Promise<Map<string, number[]>> {
  const all = new Map<string, number[]>()
  const spend = async (spender: ChildProcess) => {
    spender.send(spending)
    const [spent] = (await once(spender, 'message')) as [Record<string, number[]>]
    for (const [name, numbers] of Object.entries(spent)) {
      all.set(name, [...(all.get(name) ?? []), ...numbers])
    }
  }
  await Promise.all(spenders.map(spend))
  return all
}

/** Asserts that each name was counted exactly up to its limit, and no number was given twice. */
export async function assertExactLimit(
  spend: Spend,
  where: Pick<SpenderTask, 'databaseUrl'>,
): Promise<void> {
  const end = endOfNextMinute()
  const many = Array.from({ length: 200 }, (_, at) => `wsp_many_${end}_${at}`)
  const wide = await spend({ ...where, names: many, each: 5, end, limit: 13 })
  for (const name of many) assert.deepEqual(sortNumbers(wide.get(name)), countTo(13), name)
  const deep = await spend({
    ...where,
    names: [`wsp_deep_${end}`],
    each: 400,
    end,
    limit: 500,
  })
  assert.deepEqual(sortNumbers(deep.get(`wsp_deep_${end}`)), countTo(500))
}

/**
 * Asserts that sublimits are exact, that requests beyond them cost nothing, and that they never
 * exceed the limit together.
 */
export async function assertExactSublimits(
  spend: Spend,
  where: Pick<SpenderTask, 'databaseUrl'>,
): Promise<void> {
  const end = endOfNextMinute()
  const sublimits = [{ name: 'a', limit: 70 }, null, { name: 'b', limit: 90 }]
  const spendMany = (name: string, limit: number) =>
    spend({ ...where, names: [name], each: 300, end, limit, sublimits })
  const wide = `wsp_wide_${end}`
  const spent = await spendMany(wide, 5_000)
  assert.deepEqual(sortNumbers(spent.get(`${wide} a`)), countTo(70))
  assert.deepEqual(sortNumbers(spent.get(`${wide} b`)), countTo(90))
  assert.deepEqual(sortNumbers(spent.get(wide)), countTo(400 + 70 + 90))
  const narrow = `wsp_narrow_${end}`
  const both = await spendMany(narrow, 130)
  assert.deepEqual(sortNumbers(both.get(narrow)), countTo(130))
  for (const [name, most] of [
    ['a', 70],
    ['b', 90],
  ] as const) {
    const numbers = sortNumbers(both.get(`${narrow} ${name}`))
    assert.deepEqual(numbers, countTo(numbers.length))
    assert.ok(numbers.length <= most, `${numbers.length} of ${most}`)
  }
}

export const sortNumbers = (numbers: readonly number[] = []) => numbers.toSorted((a, b) => a - b)
export const countTo = (limit: number) => Array.from({ length: limit }, (_, at) => at + 1)

/** Asserts that two servers admit the limit of a workspace together. */
export async function assertSharedLimit(): Promise<void> {
  const env = { DOCKET_LIMIT_PAID: '7' }
  const clock = createTestClock()
  clock.advance(60 * 60_000)
  const one = await openTestDocket('postgres', env)
  const two = await openTestDocket('postgres', env, { clock })
  const replies = await withinOneMinute(async () => {
    const team = await createTestWorkspace(one.storage)
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        (at % 2 ? one : two).server.inject({ url: '/api/v1/me', headers }),
      ),
    )
    for (const { headers } of replies) {
      const ahead = Number(headers['x-ratelimit-reset']) * 1_000 - Date.now()
      assert.ok(Math.abs(ahead) < 30 * 60_000, 'the minute is that of the store')
    }
    return replies
  })
  const withStatus = (status: number) => replies.filter(({ statusCode }) => statusCode === status)
  assert.deepEqual([withStatus(200).length, withStatus(429).length], [7, 5])
  const left = withStatus(200).map((reply) => Number(reply.headers['x-ratelimit-remaining']))
  assert.deepEqual(sortNumbers(left), [0, 1, 2, 3, 4, 5, 6])
  for (const { headers } of withStatus(429)) assert.equal(headers['x-ratelimit-remaining'], '0')
}
