import assert from 'node:assert/strict'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { endServer, type ServerProcess, startServer } from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import {
  RECEIVER_SECRET,
  startVerifyingReceiver,
  type VerifyingReceiver,
} from '../../support/webhooks/verifying-receiver.ts'
import { createTestWorkspace, type TestWorkspace } from '../../support/world/test-workspace.ts'
import { findEventLogFaults, followEventLog } from './log-reader.ts'
import { runTaskLifecycles } from './task-lifecycles.ts'

interface EventLogOptions {
  operations: number
  /** About how many operations lie between two kills of a server. */
  killEvery: number
  /** How many servers run. More than one need a shared database. */
  servers?: number
  databaseUrl?: string
}

interface EventLogResult {
  events: number
  kills: number
  wrong: string[]
}

const WRITERS = 16
/** What one of the webhooks receives. */
const CREATED_KINDS = ['task.created', 'comment.created']
/** An attempt that was open at a kill may be repeated until the lease of that server has ended. */
const DUPLICATE_WINDOW_MS = 30_000
/** How long receivers may take to get every committed event. */
const RECEPTION_TIMEOUT_MS = 90_000

/**
 * Runs writes of all kinds against servers that are killed at random, beside a client that follows
 * the event log and two webhook receivers. Each operation must have exactly its events, in a
 * gapless sequence, and every reader must see them.
 */
export async function runEventLogExperiment(options: EventLogOptions): Promise<EventLogResult> {
  const { operations, killEvery, servers = 1, databaseUrl } = options
  const dataDir = createTempDir()
  const env = { ...(databaseUrl && { DOCKET_DATABASE_URL: databaseUrl }) }
  const team = await createWorkspace(dataDir, env)
  const sink = await startVerifyingReceiver()
  const leases = databaseUrl === undefined ? undefined : await openLeases(databaseUrl)
  const running: ServerProcess[] = []
  const startServerAt = async (at: number) => {
    running[at] = await startServer(dataDir, { env })
    await leases?.noteLease(at)
  }
  for (let at = 0; at < servers; at++) await startServerAt(at)
  const ports = () => running.map(({ port }) => port)
  const kills: number[] = []
  let isOver = false
  let answered = 0
  const isEnough = (now: number) => {
    answered = now
    return answered >= operations && kills.length > 0
  }
  try {
    await subscribe(running[0], team, sink.urlOf)
    const reader = followEventLog(team, ports)
    const killLoop = kill()
    const { expected: expectedEvents, wrong } = await runTaskLifecycles(team, ports, {
      isEnough,
      writers: WRITERS,
    })
    isOver = true
    await killLoop
    const events = await reader.end()
    const created = events.filter(({ type }) => CREATED_KINDS.includes(type))
    const expected = [
      ...events.map(({ id }) => `all ${id}`),
      ...created.map(({ id }) => `created ${id}`),
    ]
    const missing = () => expected.filter((one) => !sink.received.has(one))
    const deadline = performance.now() + RECEPTION_TIMEOUT_MS
    while (missing().length > 0 && performance.now() < deadline) await pause(20)
    wrong.push(...findEventLogFaults(events, expectedEvents).slice(0, 10), ...sink.wrong)
    wrong.push(
      ...missing()
        .slice(0, 3)
        .map((one) => `not received: ${one}`),
    )
    const unexpected = sink.received.size - expected.length
    if (unexpected > 0) wrong.push(`${unexpected} received that are not in the log`)
    wrong.push(...findUnexplainedDuplicates(sink, kills).slice(0, 3))
    return { events: events.length, kills: kills.length, wrong }
  } finally {
    isOver = true
    for (const server of running) await endServer(server, 'SIGKILL')
    await leases?.close()
    await sink.close()
  }

  async function kill(): Promise<void> {
    for (let at = 0; !isOver; at = (at + 1) % servers) {
      const killAfter = answered + killEvery * (0.5 + Math.random())
      await waitUntil('operations', () => isOver || answered >= killAfter)
      const server = running[at]
      if (!server || isOver) return
      await endServer(server, 'SIGKILL')
      kills.push(await readInFlightAfterKill())
      await leases?.expire(at)
      await startServerAt(at)
    }
  }
}

/** Turns of the event loop that it takes to accept a connection and to read its data. */
const EVENT_LOOP_TURNS = 10

/**
 * Returns the time at which everything is read that a killed server had sent: some of it is read
 * only after its exit. The next server has to start first, so its attempts come later.
 */
async function readInFlightAfterKill(): Promise<number> {
  for (let turn = 0; turn < EVENT_LOOP_TURNS; turn += 1) await setImmediate()
  return performance.now()
}

/** Finds deliveries that came again without a kill before their result must have been stored. */
function findUnexplainedDuplicates(
  { arrivals }: VerifyingReceiver,
  kills: readonly number[],
): string[] {
  const latest = new Map<string, number>()
  return arrivals.flatMap(({ hook, event, at }) => {
    const name = `${hook} ${event}`
    const before = latest.get(name)
    latest.set(name, at)
    if (before === undefined) return []
    const isExplained = kills.some(
      (kill) => before <= kill && kill <= at && kill - before < DUPLICATE_WINDOW_MS,
    )
    return isExplained ? [] : [`${name} came again after ${at - before} ms`]
  })
}

/** Lets the lease of a killed server end at once, where several servers share a database. */
async function openLeases(databaseUrl: string) {
  const admin = new pg.Client(databaseUrl)
  await admin.connect()
  const leaseIds = new Map<number, string>()
  return {
    /** Notes the lease of a server that was just started; no other may have started since. */
    async noteLease(at: number): Promise<void> {
      const { rows } = await admin.query<{ id: string }>('select id from dispatchers')
      const knownIds = new Set(leaseIds.values())
      const newLease = rows.find(({ id }) => !knownIds.has(id))
      assert.ok(newLease, 'whoever serves has a lease')
      leaseIds.set(at, newLease.id)
    },
    async expire(at: number): Promise<void> {
      await admin.query('delete from dispatchers where id = $1', [leaseIds.get(at)])
    },
    close: () => admin.end(),
  }
}

async function createWorkspace(
  dataDir: string,
  env: Record<string, string>,
): Promise<TestWorkspace> {
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, ...env })
  const { storage } = await openStore(config)
  return createTestWorkspace(storage).finally(() => storage.close())
}

/** Creates one webhook for all events and one for created records. */
async function subscribe(
  server: ServerProcess | undefined,
  team: TestWorkspace,
  urlOf: (hook: string) => string,
) {
  const eventsByHook = { all: ['*'], created: CREATED_KINDS }
  for (const [hook, events] of Object.entries(eventsByHook)) {
    const reply = await fetch(`http://127.0.0.1:${server?.port}/api/v1/webhooks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${team.keys.owner}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ url: urlOf(hook), events, secret: RECEIVER_SECRET }),
    })
    assert.equal(reply.status, 201, await reply.text())
  }
}
