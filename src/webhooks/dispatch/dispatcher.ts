import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { AttemptSlots, isBusy, type RequestLoad } from '../queue/slots.ts'
import { WorkspaceSender, type WorkspaceSenderDeps } from '../queue/workspace-sender.ts'
import type { DeliveryObserver } from '../results/metrics.ts'
import type { DeliveryRules } from '../results/record.ts'
import { type AttemptDeps, createAttemptRunner } from '../sending/attempt.ts'
import { startLease } from './lease.ts'
import { findPendingWorkspaces } from './store.ts'

/** The dependencies of a dispatcher. */
export interface DispatcherDeps extends AttemptDeps {
  storage: Storage
  rules: DeliveryRules
  observer: DeliveryObserver
  load: RequestLoad
}

/**
 * How often it polls, so that a delivery never depends on a notification alone. It does so each second
 * while it has senders, whose failed attempts are soon due again, and where it hears nothing of the
 * commits of other processes.
 */
const TICK_MS = 1_000
const QUIET_TICK_MS = 10_000
/** How soon a turn that has failed is tried again. */
const RETRY_MS = 1_000

/** Intervals that tests override. */
export interface DispatcherTiming {
  tickMs?: number
}

/** Commits that follow each other this closely wake the dispatcher once. */
const WAKE_DELAY_MS = 2
const MIN_TICK_MS = 20
const BUSY_WAKE_DELAY_MS = 25
/** An attempt that is not recorded by then is made again after the next start. */
const STOP_TIMEOUT_MS = 15_000
/** Workspaces served at the same time; each mostly waits for the database. */
const MAX_CONCURRENT_TURNS = 8

/**
 * Starts sending the committed events of all workspaces to their webhooks. The sender of each takes
 * turns, and a workspace comes to its turn by way of these sets:
 *
 * - `woken`: by a commit, or by a poll that found work. After a moment its sender reads anew.
 * - `delayed`: its sender has requested a turn for later.
 * - `queued`: it waits for a turn, the longest queued first.
 * - `running`: its turn runs. If it is queued again meanwhile, another turn follows.
 *
 * No turn starts while the lease is not valid, nor after `stop`, which waits until all running
 * attempts are recorded.
 */
export async function startDispatcher(
  deps: DispatcherDeps,
  { tickMs }: DispatcherTiming = {},
): Promise<{ stop(): Promise<void> }> {
  const { storage, rules, observer, log, load } = deps
  const dispatcher_id = newId('dsp', storage.clock.now())
  const reportError = (err: unknown) =>
    log.error({ err }, 'The webhook dispatcher failed and continues')
  const lease = await startLease(storage, dispatcher_id, reportError)
  const slots = new AttemptSlots(load)
  const senders = new Map<string, WorkspaceSender>()
  const queued = new Set<string>()
  const running = new Set<string>()
  const delayed = new Set<string>()
  const woken = new Set<string>()
  let stopped = false
  let wakeTimer: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined

  const shared: WorkspaceSenderDeps = {
    storage,
    dispatcher_id,
    rules,
    slots,
    observer,
    log,
    runAttempt: createAttemptRunner(deps, storage.clock),
    load,
    scheduleTurn: (workspace_id, afterMs = 0) => {
      if (afterMs > 0 && delayed.has(workspace_id)) return
      const enqueue = () => {
        delayed.delete(workspace_id)
        queued.add(workspace_id)
        startTurns()
      }
      if (afterMs === 0) return enqueue()
      delayed.add(workspace_id)
      setTimeout(enqueue, afterMs)
    },
  }

  function wake(workspace_id: string): void {
    if (workspace_id === '') return
    woken.add(workspace_id)
    wakeTimer ??= setTimeout(flushWoken, isBusy(load) ? BUSY_WAKE_DELAY_MS : WAKE_DELAY_MS)
  }

  function flushWoken(): void {
    wakeTimer = undefined
    for (const workspace_id of woken) {
      senders.get(workspace_id)?.invalidate()
      queued.add(workspace_id)
    }
    woken.clear()
    startTurns()
  }

  /** Starts turns of queued workspaces, the longest queued first. */
  function startTurns(): void {
    if (stopped || !lease.isValid()) return
    for (const workspace_id of queued) {
      if (running.size >= MAX_CONCURRENT_TURNS) return
      if (running.has(workspace_id)) continue
      queued.delete(workspace_id)
      running.add(workspace_id)
      const sender = senders.get(workspace_id) ?? new WorkspaceSender(shared, workspace_id)
      if (senders.size === 0 && timer) scheduleTick(tickMs ?? TICK_MS)
      senders.set(workspace_id, sender)
      sender
        .runTurn()
        .catch((error) => {
          reportError(error)
          shared.scheduleTurn(workspace_id, RETRY_MS)
        })
        .finally(() => {
          running.delete(workspace_id)
          // This one may have left slots free that others wait for.
          const waiting = slots.takeWaiting()
          if (waiting !== undefined) queued.add(waiting)
          setImmediate(startTurns)
        })
    }
  }

  function forgetQuietSenders(): void {
    for (const [workspace_id, sender] of senders) {
      if (!sender.canBeForgotten || queued.has(workspace_id) || running.has(workspace_id)) continue
      senders.delete(workspace_id)
    }
  }

  /** Polls for work that no notification announced, and sleeps until the next is due. */
  async function tick(): Promise<void> {
    timer = undefined
    let sleep = tickMs ?? TICK_MS
    try {
      const { workspaces, nextInMs } = await findPendingWorkspaces(storage, dispatcher_id)
      for (const workspace_id of workspaces) wake(workspace_id)
      const hearsOthers = storage.engine === 'sqlite' || storage.commitListeners.isPeerBusConnected
      const isQuiet = senders.size + workspaces.size === 0 && hearsOthers
      sleep = Math.min(
        tickMs ?? (isQuiet ? QUIET_TICK_MS : TICK_MS),
        nextInMs ?? Number.POSITIVE_INFINITY,
      )
    } catch (error) {
      reportError(error)
    }
    forgetQuietSenders()
    if (!stopped) scheduleTick(Math.max(sleep, MIN_TICK_MS))
  }

  function scheduleTick(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(tick, ms)
  }

  storage.onCommit(wake, dispatcher_id)
  await tick()

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      clearTimeout(wakeTimer)
      storage.onCommit(() => {})
      const end = performance.now() + STOP_TIMEOUT_MS
      const hasWork = () => running.size > 0 || [...senders.values()].some(({ isIdle }) => !isIdle)
      while (hasWork() && performance.now() < end) await pause(10)
      await lease.release().catch(reportError)
    },
  }
}
