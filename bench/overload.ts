import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { ensureAccount } from '#identity/account.ts'
import { hashOfPassword } from '#identity/password.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { tell } from './figures.ts'
import { quantile, total } from './latencies.ts'
import { paced, requestText } from './paced.ts'
import type { Paced } from './pacing.ts'
import { type Docket, startDocket } from './processes.ts'
import { type Seeded, seed } from './seed.ts'
import { generate } from './sharing.ts'

/** Seconds of each load; for E20 in full 300. */
const SECONDS = Number(process.env.SECONDS ?? 30)
const TIMES = Number(process.env.TIMES ?? 10)
const WARM_UP = 6
const CLOSED = 32
/** More than a server would want to have under way. */
const CONNECTIONS = 1_000
const TASKS = 1_000
const PASSWORD = 'a password of the benchmark'
const NOT_SHEDDING = new URL('../test/experiments/not-shedding.ts', import.meta.url).pathname

/** What a server does as quickly as it can: a second, and seconds of processor time for each and a second. */
interface Served {
  rate: number
  each: number
  own: number
  client: number
}

/**
 * E20: what is served at ten times as much as can be, to what can be; how soon what is accepted is
 * answered, and what is refused; and how soon all is well again. The control sheds nothing.
 */
export async function measureOverload(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  const { storage } = await openStore(configFrom({ DOCKET_DATA_DIR: dataDir }))
  const seeded = await seed(storage, TASKS)
  const email = `login@${seeded.workspace}.example`
  const account = { email, name: 'Login', timezone: 'UTC' }
  const hash = await hashOfPassword(PASSWORD)
  await storage.write({ ...NOBODY, workspace_id: seeded.workspace }, (tx) =>
    ensureAccount(tx, account, { password: PASSWORD, hash }),
  )
  await storage.close()
  const docket = await startDocket(dataDir)
  const requests = mix(seeded)
  const port = Number(new URL(docket.url).port)
  const closed = { port, connections: CLOSED, requests }
  await generate({ ...closed, seconds: WARM_UP })
  const seconds = Math.ceil(SECONDS / 2)
  const capacityNow = async (): Promise<Served> => {
    const used = await docket.cpu()
    const { count, refused, cpu } = await generate({ ...closed, seconds })
    const served = count - refused
    const own = (await docket.cpu()) - used
    return { rate: served / seconds, each: own / served, own: own / seconds, client: cpu / seconds }
  }
  const before = await capacityNow()
  const load = { port, rate: TIMES * before.rate, seconds: SECONDS, connections: CONNECTIONS }
  const seen = healthOf(docket)
  const used = await docket.cpu()
  const told = await paced({ ...load, requests })
  const own = (await docket.cpu()) - used
  const slowest = await seen.stop()
  const back = await recovered(docket, seeded)
  // The machine may be busier or less busy by now.
  const after = await capacityNow()
  const capacity = (before.rate + after.rate) / 2
  await docket.stop()
  say(`at ${TIMES} × ${capacity.toFixed(0)}/s`, told, capacity)
  const { accepted, refused } = split(told)
  tell('Goodput under overload / capacity', total(accepted) / SECONDS / capacity, { least: 0.9 })
  // The generator shares these cores, and works for ten: what was done with what the server had itself.
  const each = (before.each + after.each) / 2
  const worked = (total(accepted) * each) / own
  tell("  the same by the server's processor time", worked, { least: 0.9 })
  sayBusy('at capacity', before)
  sayBusy('at capacity afterwards', after)
  sayBusy('under overload', { own: own / SECONDS, client: told.cpu / SECONDS })
  tell('  what is accepted, p99 ms', quantile(accepted, 0.99), { most: 1_000 })
  tell('  what is refused, p99 ms', quantile(refused, 0.99), { most: 50 })
  tell('  health, slowest ms', slowest, { most: 1_000 })
  tell('  seconds until all is served again', back, { most: 10 })
  const others = Object.keys(told.replies).filter((status) => !/^(2..|503|429)$/.test(status))
  tell('  other replies than 2xx, 429 and 503', others.length, { most: 0 })
  await control(dataDir, requests, capacity)
  rmSync(dataDir, { recursive: true, force: true })
}

/** Without shedding what is accepted takes as long as all that is before it: that has to be seen. */
async function control(dataDir: string, requests: string[], capacity: number): Promise<void> {
  const docket = await startDocket(dataDir, {}, NOT_SHEDDING)
  const port = Number(new URL(docket.url).port)
  const seconds = Math.min(SECONDS, 20)
  const load = { port, rate: TIMES * capacity, seconds, connections: CONNECTIONS }
  const told = await paced({ ...load, requests })
  await docket.stop()
  say('control, without shedding', told, capacity)
  const worst = quantile(split(told).accepted, 0.99)
  tell('Control: without shedding what is accepted, p99 ms', worst, { least: 1_000 })
}

/** 30 % large lists, 10 % writes, some sign-ins, the others one task. */
function mix({ key, project, tasks }: Seeded): string[] {
  return Array.from({ length: 100 }, (_, n) => {
    if (n % 10 < 3) return requestText(key, `/api/v1/projects/${project}/tasks?limit=100`)
    if (n % 10 === 3) {
      return requestText(key, '/api/v1/tasks', { project_id: project, title: `Overload ${n}` })
    }
    return requestText(key, `/api/v1/tasks/${tasks[n % tasks.length]}`)
  })
}

function split({ replies }: Paced) {
  const of = (fits: RegExp) => {
    const counts: Record<string, number> = {}
    for (const [status, those] of Object.entries(replies)) {
      if (!fits.test(status)) continue
      for (const [step, times] of Object.entries(those)) counts[step] = (counts[step] ?? 0) + times
    }
    return counts
  }
  return { accepted: of(/^2/), refused: of(/^(503|429)$/) }
}

function say(what: string, told: Paced, capacity: number): void {
  const came = Object.values(told.replies).reduce((sum, counts) => sum + total(counts), 0)
  const parts = Object.entries(told.replies).map(([status, counts]) => {
    const [half, most] = [quantile(counts, 0.5), quantile(counts, 0.99)]
    return `${status}: ${total(counts)} (p50 ${half.toFixed(1)}, p99 ${most.toFixed(1)} ms)`
  })
  console.log(
    `    ${what} of ${capacity.toFixed(0)}/s: ${parts.join(', ')}; ${told.lost} of ${came + told.lost} found no connection`,
  )
}

function sayBusy(when: string, { own, client }: Pick<Served, 'own' | 'client'>): void {
  console.log(`    cores ${when}: Docket ${own.toFixed(2)}, generator ${client.toFixed(2)}`)
}

/** Asks for health all the time; gives the slowest answer, and fails if it was refused once. */
function healthOf({ url }: Docket) {
  let stopped = false
  let slowest = 0
  const asking = (async () => {
    while (!stopped) {
      const began = performance.now()
      const reply = await fetch(`${url}/healthz`)
      await reply.arrayBuffer()
      if (reply.status !== 200) throw new Error(`Health is refused: ${reply.status}`)
      slowest = Math.max(slowest, performance.now() - began)
      await pause(200)
    }
  })()
  return {
    async stop() {
      stopped = true
      await asking
      return slowest
    },
  }
}

/** Seconds until fifty requests in a row are served. */
async function recovered({ url }: Docket, { key }: Seeded): Promise<number> {
  const began = performance.now()
  for (let well = 0; well < 50; ) {
    const reply = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })
    await reply.arrayBuffer()
    well = reply.status === 200 ? well + 1 : 0
    if (well === 0) await pause(20)
  }
  return (performance.now() - began) / 1_000
}
