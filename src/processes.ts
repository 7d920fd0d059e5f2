import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Log } from '#http/log.ts'

/** What is kept running. */
interface Keeping {
  count: number
  log: Log
}

/** What a process that was started anew waits, longer each time, and when it counts as well again. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 30_000]
const WELL_MS = 60_000
/** A supervisor of ours kills what has not stopped after half a minute. */
const KILL_MS = 29_000

const READY = 'docket: ready'
const ASK = 'docket: metrics?'
const TELL = 'docket: metrics'

/** Whether this is one of several processes, which another keeps running. */
export const isOneOfSeveral = (): boolean => cluster.isWorker

/** The first of several says what there is to say to who starts Docket; so does the only one. */
export const speaks = (): boolean => cluster.worker === undefined || cluster.worker.id === 1

/**
 * Keeps so many processes of Docket running, which share the port: the first alone until it serves, for
 * it brings the database up to date, then the others. One that ends is started again; one that cannot
 * start in the first place ends all. Ends with them, 0 if each has stopped as it was told.
 */
export function keepRunning({ count, log }: Keeping): void {
  const begun = new Map<number, number>()
  let losses = 0
  let isServing = false
  let stopping = false

  cluster.on('message', (worker: Worker, message: unknown) => {
    if (message === READY && !isServing) {
      isServing = true
      for (let more = 1; more < count; more += 1) begin()
    }
    if (message === ASK) void tellAll(worker)
  })
  cluster.on('exit', (worker, code, signal) => {
    const lived = performance.now() - (begun.get(worker.id) ?? 0)
    begun.delete(worker.id)
    if (stopping) {
      // One that was still starting has nothing to finish.
      if (code !== 0 && signal !== 'SIGTERM') process.exitCode = 1
      if (begun.size === 0) process.exit()
      return
    }
    if (!isServing) process.exit(code ?? 1)
    losses = lived > WELL_MS ? 0 : losses + 1
    const wait = WAITS_MS[Math.min(losses, WAITS_MS.length - 1)] ?? 0
    log.error(
      { pid: worker.process.pid, code, signal, wait },
      'A process ended: it is started again',
    )
    setTimeout(() => {
      if (!stopping) begin()
    }, wait)
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop())
  begin()

  function begin(): void {
    const { id } = cluster.fork()
    begun.set(id, performance.now())
  }

  function stop(): void {
    const signal = stopping ? 'SIGKILL' : 'SIGTERM'
    stopping = true
    if (begun.size === 0) process.exit(0)
    end(signal)
    setTimeout(() => end('SIGKILL'), KILL_MS).unref()
  }

  function end(signal: NodeJS.Signals): void {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
}

const all = new AggregatorRegistry()

async function tellAll(worker: Worker): Promise<void> {
  const text = await all.clusterMetrics().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'unknown'
    return `# The processes did not answer: ${why}\n`
  })
  if (worker.isConnected()) worker.send({ [TELL]: text })
}

/** One of several says that it serves. */
export function sayReady(): void {
  process.send?.(READY)
}

/** The figures of all processes together, asked of the one that keeps them running. */
export function figuresOfAll(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(registry)
  let asking: Promise<string> | undefined
  return () => {
    asking ??= new Promise<string>((resolve) => {
      const hear = (message: unknown) => {
        if (typeof message !== 'object' || message === null || !(TELL in message)) return
        process.off('message', hear)
        asking = undefined
        resolve(String(message[TELL]))
      }
      process.on('message', hear)
      process.send?.(ASK)
    })
    return asking
  }
}
