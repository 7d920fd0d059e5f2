import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { findFinalDeliveryFaults } from '../../delivery/check-deliveries.ts'
import {
  attemptKey,
  findOrderFaults,
  findUnexplainedDuplicates,
  readInFlightAfterKill,
} from '../../delivery/check-order.ts'
import {
  endServer,
  type ServerProcess,
  seedDataDir,
  startServer,
} from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import type { ReceiverBehavior } from '../../support/webhooks/receiver-behaviors.ts'
import {
  type ReceivedAttempt,
  startVerifyingReceiver,
} from '../../support/webhooks/verifying-receiver.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'
import { subscribeProjects, writeEvents } from './event-writers.ts'

interface FailingReceiverOptions {
  events: number
  /** Chooses how the receiver answers an attempt. */
  plan: (arrival: ReceivedAttempt) => ReceiverBehavior
  /** About how many attempts lie between two kills of the server. */
  killEvery?: number
  timeoutSeconds?: number
}

const WORKSPACES = 5
/** Waiting ends after this time without any attempt. */
const IDLE_TIMEOUT_MS = 30_000
/** The result of an attempt is stored within this time, even on a busy machine. */
const MAX_RECORDING_MS = 15_000
/** As many as the settings accept, all with a delay of zero: failures are retried at once. */
const MAX_RETRIES = 50

/** Fails nine attempts of ten, but no event so often that its delivery would end as failed. */
export const failNineOfTen: FailingReceiverOptions['plan'] = ({ attempt }) =>
  Math.random() < 0.9 && attempt < MAX_RETRIES - 5 ? 'error' : 'ok'

/** Fails in every way a receiver can, and sometimes succeeds. */
export const failInEveryWay: FailingReceiverOptions['plan'] = ({ attempt }) => {
  const isLast = attempt >= MAX_RETRIES - 5
  const percent = isLast ? 0 : Math.random() * 100
  return MIXED_MANNERS.find(([, upTo]) => percent < upTo)?.[0] ?? 'error'
}

/** Ways to answer, with cumulative percentages. Timeouts are rare because they take long. */
const MIXED_MANNERS: [ReceiverBehavior, number][] = [
  ['ok', 40],
  ['huge', 41],
  ['bomb', 42],
  ['hang', 43],
  ['drip', 44],
  ['later', 49],
  ['redirect', 64],
  ['reset', 79],
]

/**
 * Sends events to a receiver that fails, and checks that each one arrives, in order, and that every
 * duplicate has an explanation.
 */
export async function sendToFailingReceiver(options: FailingReceiverOptions) {
  const { events, plan, killEvery, timeoutSeconds = 10 } = options
  const dataDir = createTempDir()
  const homes: TestWorkspace[] = []
  for (let at = 0; at < WORKSPACES; at++) homes.push(await seedDataDir(dataDir))
  const env = {
    DOCKET_WEBHOOK_RETRY_SECONDS: Array(MAX_RETRIES).fill('0').join(),
    DOCKET_WEBHOOK_TIMEOUT_SECONDS: String(timeoutSeconds),
    DOCKET_WEBHOOK_DISABLE_AFTER_ATTEMPTS: '1000000000',
  }
  const sink = await startVerifyingReceiver(plan)
  const kills: number[] = []
  let server = await startServer(dataDir, { env })
  let isOver = false
  try {
    for (const team of homes) await subscribeProjects(server, team, sink.urlOf)
    const killLoop = killEvery === undefined ? undefined : kill(killEvery)
    await writeEvents(homes, events, () => server.port)
    await waitWhileActive(() => sink.received.size >= events, sink.arrivals, IDLE_TIMEOUT_MS)
    isOver = true
    await killLoop
    await waitWhileActive(() => areResultsStored(dataDir), sink.arrivals, IDLE_TIMEOUT_MS)
    const peakMemoryMiB = readPeakMemory(server)
    await endServer(server, 'SIGTERM')
    const db = new DatabaseSync(join(dataDir, 'docket.db'))
    const wrong = await findFinalDeliveryFaults((sql) => db.prepare(sql).all())
    const timedOut = readTimedOut(db)
    db.close()
    const recordingMs = timeoutSeconds * 1000 + MAX_RECORDING_MS
    const unexplained = findUnexplainedDuplicates(sink, { kills, recordingMs, timedOut })
    const arrived = sink.received.size
    if (arrived !== events) wrong.push(`${arrived} of ${events} came`)
    wrong.push(
      ...[...sink.wrong, ...findOrderFaults(sink, MAX_RETRIES + 1), ...unexplained].slice(0, 10),
    )
    return { attempts: sink.arrivals.length, kills: kills.length, peakMemoryMiB, wrong }
  } finally {
    isOver = true
    await endServer(server, 'SIGKILL')
    await sink.close()
  }

  async function kill(every: number): Promise<void> {
    while (!isOver) {
      const killAfter = sink.arrivals.length + every * (0.5 + Math.random())
      await waitUntil('attempts', () => isOver || sink.arrivals.length >= killAfter)
      if (isOver) return
      await endServer(server, 'SIGKILL')
      kills.push(await readInFlightAfterKill())
      server = await startServer(dataDir, { env })
    }
  }
}

/** Waits until `isDone`, but no longer than `idleTimeoutMs` after the last arrival. */
async function waitWhileActive(
  isDone: () => boolean,
  arrivals: readonly ReceivedAttempt[],
  idleTimeoutMs: number,
) {
  const from = performance.now()
  while (!isDone()) {
    const last = Math.max(from, arrivals.at(-1)?.at ?? 0)
    if (performance.now() - last > idleTimeoutMs) return
    await pause(20)
  }
}

function areResultsStored(dataDir: string): boolean {
  const db = new DatabaseSync(join(dataDir, 'docket.db'), { readOnly: true, timeout: 5_000 })
  try {
    const { left } = db.prepare('select sum(pending_count) as left from webhooks').get() ?? {}
    return left === 0
  } finally {
    db.close()
  }
}

function readTimedOut(db: DatabaseSync): Set<string> {
  const rows = db
    .prepare(`select a.url, d.event_id, a.number from delivery_attempts a
      join deliveries d on d.workspace_id = a.workspace_id and d.id = a.delivery_id
      where a.error = 'timeout'`)
    .all()
  const hookOf = (url: unknown) => String(url).split('/').at(-1) ?? ''
  return new Set(
    rows.map(({ url, event_id, number }) =>
      attemptKey(hookOf(url), String(event_id), Number(number)),
    ),
  )
}

/** The peak memory of a server in MiB; 0 where the system does not report it. */
function readPeakMemory({ child }: ServerProcess): number {
  try {
    const [, kilobytes] =
      /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes) / 1024)
  } catch {
    return 0
  }
}
