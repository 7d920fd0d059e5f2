import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { openLog } from '#http/log.ts'
import { memoryCounter } from '#limits/counter.ts'
import { type Limit, rateLimit } from '#limits/window.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { type Home, newHome } from '../support/home.ts'

export const MINUTE = 60_000

/** A Docket whose limit counts by a clock that the experiment sets. */
export async function limited(make: (clock: () => number) => Limit) {
  const time = { now: Math.ceil(Date.now() / MINUTE) * MINUTE }
  const config = configFrom({ DOCKET_DATA_DIR: emptyDir(), DOCKET_SECRET: 'a secret of the tests' })
  const { storage, secret } = await openStore(config)
  const { server, house } = await app(storage, config, secret, openLog('silent'))
  house.limit = make(() => time.now)
  const homes = {
    free: await newHome(storage, 'free'),
    other: await newHome(storage, 'free'),
    paid: await newHome(storage, 'paid'),
  }
  return { server, homes, time }
}

/** The limit as it is served. */
export const counted = (clock: () => number): Limit =>
  rateLimit({ free: 500, paid: 5_000 }, memoryCounter(), clock)

/** A limit that reads its count, and writes it a moment later: the experiment must find it out. */
export function readThenWrite(clock: () => number): Limit {
  const used = new Map<string, number>()
  return (actor) => {
    const name = `${actor.workspace_id} ${Math.floor(clock() / MINUTE)}`
    const count = used.get(name) ?? 0
    setImmediate(() => used.set(name, count + 1))
    if (count >= 500) return rateLimit({ free: 0, paid: 0 }, memoryCounter(), clock)(actor)
    return {}
  }
}

export interface Offered {
  status: number
  headers: Record<string, unknown>
}

/** Offers requests many at a time, a third of them writes; gives what came back, in order of coming. */
export async function offer(
  server: FastifyInstance,
  home: Home,
  count: number,
  credential = home.keys.owner,
): Promise<Offered[]> {
  const replies: Offered[] = []
  let next = 0
  async function sender() {
    for (let at = next++; at < count; at = next++) {
      const headers = { authorization: `Bearer ${credential}` }
      const payload = { project_id: home.project, title: `Offered ${at}` }
      const reply = await server.inject(
        at % 3 === 0
          ? { method: 'POST', url: '/api/v1/tasks', headers, payload }
          : { url: `/api/v1/projects${at % 3 === 1 ? '?limit=0' : ''}`, headers },
      )
      replies.push({ status: reply.statusCode, headers: reply.headers })
      if (at % 50 === 0) await pause(0)
    }
  }
  await Promise.all(Array.from({ length: 64 }, sender))
  return replies
}

/** How many were let through, refused, and refused for another reason. */
export const admitted = (replies: readonly Offered[]): number =>
  replies.filter(({ status }) => status !== 429 && status !== 401).length

/** E13: offers four times what a minute holds, for some minutes, to workspaces side by side. */
export async function exact(
  { server, homes, time }: Awaited<ReturnType<typeof limited>>,
  minutes: number,
  { free, other, paid }: { free: number; other: number; paid: number },
) {
  const counts = []
  for (let minute = 0; minute < minutes; minute++) {
    const [one, two, three, strangers] = await Promise.all([
      offer(server, homes.free, free),
      offer(server, homes.other, other),
      offer(server, homes.paid, paid),
      offer(server, homes.free, 100, 'dkt_unknown'),
    ])
    counts.push([admitted(one), admitted(two), admitted(three), admitted(strangers)])
    time.now += MINUTE
  }
  return counts
}

if (process.argv.includes('--full')) {
  const load = { free: 2_000, other: 300, paid: 20_000 }
  const [control = []] = await exact(await limited(readThenWrite), 1, load)
  assert.notEqual(control[0], 500, 'a limit that is read first must be found out')
  console.log('control', control)
  const counts = await exact(await limited(counted), 3, load)
  console.log(counts)
  for (const one of counts) assert.deepEqual(one, [500, 300, 5_000, 0])
}
