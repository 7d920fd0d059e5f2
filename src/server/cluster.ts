import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Logger } from '#http/server/log.ts'
import { onStopSignal } from '#lib/stop-signals.ts'

interface SupervisorOptions {
  count: number
  log: Logger
}

/** Delays before a process is restarted, longer after each failure. */
const RESTART_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 30_000]
/** A process that ran this long resets the delay. */
const STABLE_AFTER_MS = 60_000
/** Just before systemd or Docker kill everything, after half a minute. */
const KILL_TIMEOUT_MS = 29_000

const READY = 'docket: ready'
const METRICS_REQUEST = 'docket: metrics?'
const METRICS_REPLY = 'docket: metrics'

/** Whether this process is a cluster worker, which a supervisor process started. */
export const isClusterWorker = (): boolean => cluster.isWorker

/** Whether this is the first or the only process, which prints messages for the operator. */
export const isFirstProcess = (): boolean => cluster.worker === undefined || cluster.worker.id === 1

/**
 * Runs `count` worker processes that share the port: the first one alone until it serves, because
 * it migrates the database, then the others. Workers that end are restarted; if the first cannot
 * start, everything ends. Exits after all workers have, with 0 if each stopped as requested.
 */
export function superviseWorkers({ count, log }: SupervisorOptions): void {
  const startedAt = new Map<number, number>()
  let failures = 0
  let isServing = false
  let isStopping = false

  cluster.on('message', (worker: Worker, message: unknown) => {
    if (message === READY && !isServing && !isStopping) {
      isServing = true
      for (let more = 1; more < count; more += 1) startWorker()
    }
    if (message === METRICS_REQUEST) void sendClusterMetrics(worker)
  })
  cluster.on('exit', (worker, code, signal) => {
    const uptime = performance.now() - (startedAt.get(worker.id) ?? 0)
    startedAt.delete(worker.id)
    if (isStopping) {
      // A worker that is loading its modules does not handle signals yet, and has nothing to finish.
      if (code !== 0 && signal !== 'SIGTERM') process.exitCode = 1
      if (startedAt.size === 0) process.exit()
      return
    }
    if (!isServing) process.exit(code ?? 1)
    failures = uptime > STABLE_AFTER_MS ? 0 : failures + 1
    const wait = RESTART_DELAYS_MS[Math.min(failures, RESTART_DELAYS_MS.length - 1)] ?? 0
    log.error(
      { pid: worker.process.pid, code, signal, wait },
      'A process exited and will be restarted',
    )
    setTimeout(() => {
      if (!isStopping) startWorker()
    }, wait)
  })
  onStopSignal(
    () => stop('SIGTERM'),
    () => stop('SIGKILL'),
  )
  startWorker()

  function startWorker(): void {
    const { id } = cluster.fork()
    startedAt.set(id, performance.now())
  }

  function stop(signal: NodeJS.Signals): void {
    isStopping = true
    if (startedAt.size === 0) process.exit(0)
    killWorkers(signal)
    setTimeout(() => killWorkers('SIGKILL'), KILL_TIMEOUT_MS).unref()
  }

  function killWorkers(signal: NodeJS.Signals): void {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
}

const aggregator = new AggregatorRegistry()

async function sendClusterMetrics(worker: Worker): Promise<void> {
  const text = await aggregator.clusterMetrics().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : 'unknown'
    return `# The processes did not answer: ${reason}\n`
  })
  if (worker.isConnected()) worker.send({ [METRICS_REPLY]: text })
}

/** Tells the supervisor that this worker serves. */
export function reportReady(): void {
  process.send?.(READY)
}

/** Creates a function that requests the metrics of all workers from the supervisor. */
export function createClusterMetricsReader(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(registry)
  let pending: Promise<string> | undefined
  return () => {
    pending ??= new Promise<string>((resolve) => {
      const onMessage = (message: unknown) => {
        if (typeof message !== 'object' || message === null || !(METRICS_REPLY in message)) return
        process.off('message', onMessage)
        pending = undefined
        resolve(String(message[METRICS_REPLY]))
      }
      process.on('message', onMessage)
      process.send?.(METRICS_REQUEST)
    })
    return pending
  }
}
