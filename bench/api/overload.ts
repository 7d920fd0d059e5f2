import { setTimeout as pause } from 'node:timers/promises'
import { hashPassword } from '#auth/passwords/password-hash.ts'
import { ensureAccount } from '#auth/users/accounts.ts'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { runClosedLoop } from '../load/closed-loop.ts'
import { countLatencies, latencyQuantile } from '../load/latency-histogram.ts'
import { formatHttpRequest, runOpenLoop } from '../load/open-loop.ts'
import type { OpenLoopResult } from '../load/open-loop-client.ts'
import { reportFigure } from '../support/figures.ts'
import { type DocketProcess, startDocketProcess } from '../support/processes.ts'
import { createBenchDir, type SeededWorkspace, seedWorkspace } from '../support/seed.ts'

/** The seconds of each load; 300 for a full measurement. */
const SECONDS = Number(process.env.SECONDS ?? 30)
const TIMES = 10
const WARM_UP = 6
const CLOSED_LOOP_CONNECTIONS = 32
/** More than a server can usefully process at the same time. */
const CONNECTIONS = 1_000
const TASKS = 1_000
const PASSWORD = 'a password of the benchmark'
/** The maximum rate of a server, its CPU time per request and per second, and the client's. */
interface ServerCapacity {
  rate: number
  each: number
  own: number
  client: number
}

/**
 * Measures overload at ten times the capacity: the goodput relative to the capacity, the latency of
 * accepted and rejected requests, and the time to recover.
 */
export async function measureOverload(): Promise<void> {
  const dataDir = createBenchDir()
  const { storage } = await openStore(parseConfig({ DOCKET_DATA_DIR: dataDir }))
  const seeded = await seedWorkspace(storage, TASKS)
  const email = `login@${seeded.workspace}.example`
  const account = { email, name: 'Login', timezone: 'UTC' }
  const hash = await hashPassword(PASSWORD)
  await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: seeded.workspace }, (tx) =>
    ensureAccount(tx, account, { password: PASSWORD, hash }),
  )
  await storage.close()
  const docket = await startDocketProcess(dataDir)
  const requests = mixRequests(seeded)
  const port = Number(new URL(docket.url).port)
  const closed = { port, connections: CLOSED_LOOP_CONNECTIONS, requests }
  await runClosedLoop({ ...closed, seconds: WARM_UP })
  const seconds = Math.ceil(SECONDS / 2)
  const measureCapacity = async (): Promise<ServerCapacity> => {
    const used = await docket.cpu()
    const { count, refused, cpu } = await runClosedLoop({ ...closed, seconds })
    const served = count - refused
    const own = (await docket.cpu()) - used
    return { rate: served / seconds, each: own / served, own: own / seconds, client: cpu / seconds }
  }
  const before = await measureCapacity()
  const load = { port, rate: TIMES * before.rate, seconds: SECONDS, connections: CONNECTIONS }
  const health = pollHealth(docket)
  const used = await docket.cpu()
  const result = await runOpenLoop({ ...load, requests })
  const own = (await docket.cpu()) - used
  const slowest = await health.stop()
  const back = await measureRecovery(docket, seeded)
  // Measured again, because other load on the machine may have changed.
  const after = await measureCapacity()
  const capacity = (before.rate + after.rate) / 2
  await docket.stop()
  printReplies(`at ${TIMES} × ${capacity.toFixed(0)}/s`, result, capacity)
  const { accepted, refused } = splitByOutcome(result)
  reportFigure('Goodput under overload / capacity', countLatencies(accepted) / SECONDS / capacity, {
    least: 0.9,
  })
  // The generator shares these cores, so this relates the goodput to the server's own CPU time.
  const each = (before.each + after.each) / 2
  const worked = (countLatencies(accepted) * each) / own
  reportFigure("  the same by the server's processor time", worked, { least: 0.9 })
  printCpuUse('at capacity', before)
  printCpuUse('at capacity afterwards', after)
  printCpuUse('under overload', { own: own / SECONDS, client: result.cpu / SECONDS })
  reportFigure('  what is accepted, p99 ms', latencyQuantile(accepted, 0.99), { most: 1_000 })
  reportFigure('  what is refused, p99 ms', latencyQuantile(refused, 0.99), { most: 50 })
  reportFigure('  health, slowest ms', slowest, { most: 1_000 })
  reportFigure('  seconds until all is served again', back, { most: 10 })
  const others = Object.keys(result.latenciesSinceSent).filter(
    (status) => !/^(2..|503|429)$/.test(status),
  )
  reportFigure('  other replies than 2xx, 429 and 503', others.length, { most: 0 })
}

/** 30 % large lists, 10 % writes, and otherwise single tasks. */
function mixRequests({ key, project, tasks }: SeededWorkspace): string[] {
  return Array.from({ length: 100 }, (_, n) => {
    if (n % 10 < 3) return formatHttpRequest(key, `/api/v1/projects/${project}/tasks?limit=100`)
    if (n % 10 === 3) {
      return formatHttpRequest(key, '/api/v1/tasks', {
        project_id: project,
        title: `Overload ${n}`,
      })
    }
    return formatHttpRequest(key, `/api/v1/tasks/${tasks[n % tasks.length]}`)
  })
}

function splitByOutcome({ latenciesSinceSent }: OpenLoopResult) {
  const of = (fits: RegExp) => {
    const counts: Record<string, number> = {}
    for (const [status, those] of Object.entries(latenciesSinceSent)) {
      if (!fits.test(status)) continue
      for (const [step, times] of Object.entries(those)) counts[step] = (counts[step] ?? 0) + times
    }
    return counts
  }
  return { accepted: of(/^2/), refused: of(/^(503|429)$/) }
}

function printReplies(what: string, result: OpenLoopResult, capacity: number): void {
  const came = Object.values(result.latenciesSinceSent).reduce(
    (sum, counts) => sum + countLatencies(counts),
    0,
  )
  const parts = Object.entries(result.latenciesSinceSent).map(([status, counts]) => {
    const [half, most] = [latencyQuantile(counts, 0.5), latencyQuantile(counts, 0.99)]
    return `${status}: ${countLatencies(counts)} (p50 ${half.toFixed(1)}, p99 ${most.toFixed(1)} ms)`
  })
  console.log(
    `    ${what} of ${capacity.toFixed(0)}/s: ${parts.join(', ')}; ${result.unansweredCount} of ${came + result.unansweredCount} found no connection`,
  )
}

function printCpuUse(when: string, { own, client }: Pick<ServerCapacity, 'own' | 'client'>): void {
  console.log(`    cores ${when}: Docket ${own.toFixed(2)}, generator ${client.toFixed(2)}`)
}

/** Polls the health check; returns its slowest response, and fails if one is rejected. */
function pollHealth({ url }: DocketProcess) {
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

/** The seconds until fifty requests in a row succeed. */
async function measureRecovery({ url }: DocketProcess, { key }: SeededWorkspace): Promise<number> {
  const began = performance.now()
  for (let well = 0; well < 50; ) {
    const reply = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })
    await reply.arrayBuffer()
    well = reply.status === 200 ? well + 1 : 0
    if (well === 0) await pause(20)
  }
  return (performance.now() - began) / 1_000
}
