import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { attempts, type Means } from './attempt.ts'
import { live } from './life.ts'
import type { Observer } from './observer.ts'
import { Outgoing, type Shared } from './outgoing.ts'
import { type Load, Pace } from './pace.ts'
import type { Rules } from './record.ts'
import { lookRound } from './round.ts'
import { Slots } from './slots.ts'

/** What a dispatcher needs. */
export interface Dispatching extends Means {
  storage: Storage
  rules: Rules
  observer: Observer
  load: Load
}

/** How often it looks by itself, so that nothing depends on being woken. */
const TICK_MS = 1_000

/** Intervals that a test may have of its own. */
export interface Timing {
  tickMs?: number
}

/** Commits of one moment wake it once. */
const GATHER_MS = 2
const GATHER_BUSY_MS = 25
/** What has not ended and been written down by then is sent again by the next start. */
const PATIENCE_MS = 15_000
/** Workspaces that have their turn at the same time; each waits for the database mostly. */
const MOST_TURNS = 8

/**
 * Starts sending what the committed events of all workspaces owe to their webhooks. It is woken by
 * commits and looks by itself besides. `stop` ends when all that is under way is
 * written down.
 */
export async function startDispatcher(
  means: Dispatching,
  { tickMs = TICK_MS }: Timing = {},
): Promise<{ stop(): Promise<void> }> {
  const { storage, rules, observer, log, load } = means
  const dispatcher_id = newId('dsp', storage.clock.now())
  const complain = (err: unknown) => log.error({ err }, 'The dispatcher failed, and goes on')
  const life = await live(storage, dispatcher_id, complain)
  const slots = new Slots()
  const known = new Map<string, Outgoing>()
  const waiting = new Set<string>()
  const turning = new Set<string>()
  const resting = new Set<string>()
  const woken = new Set<string>()
  let stopped = false
  let gathering: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined

  const shared: Shared = {
    ...{ storage, dispatcher_id, rules, slots, observer, log },
    attempt: attempts(means, storage.clock),
    pace: new Pace(load),
    again: (workspace_id, afterMs = 0) => {
      const turn = () => {
        resting.delete(workspace_id)
        waiting.add(workspace_id)
        pump()
      }
      if (afterMs === 0) turn()
      else if (!resting.has(workspace_id)) setTimeout(turn, afterMs)
      if (afterMs > 0) resting.add(workspace_id)
    },
  }

  function wake(workspace_id: string): void {
    if (workspace_id === '') return
    woken.add(workspace_id)
    gathering ??= setTimeout(gathered, shared.pace.busy ? GATHER_BUSY_MS : GATHER_MS)
  }

  function gathered(): void {
    gathering = undefined
    for (const workspace_id of woken) {
      known.get(workspace_id)?.wake()
      waiting.add(workspace_id)
    }
    woken.clear()
    pump()
  }

  /** Gives workspaces their turns, the longest waiting first. */
  function pump(): void {
    if (stopped || !life.sure()) return
    for (const workspace_id of waiting) {
      if (turning.size >= MOST_TURNS) return
      if (turning.has(workspace_id)) continue
      waiting.delete(workspace_id)
      turning.add(workspace_id)
      const outgoing = known.get(workspace_id) ?? new Outgoing(shared, workspace_id)
      known.set(workspace_id, outgoing)
      outgoing
        .turn()
        .catch(complain)
        .finally(() => {
          turning.delete(workspace_id)
          setImmediate(pump)
        })
    }
  }

  function forgetQuiet(): void {
    for (const [workspace_id, outgoing] of known) {
      if (!outgoing.quiet || waiting.has(workspace_id) || turning.has(workspace_id)) continue
      known.delete(workspace_id)
    }
  }

  /** Looks for what nobody has told of, and sleeps until there is something to do. */
  async function tick(): Promise<void> {
    let sleep = tickMs
    try {
      const { workspaces, nextIn } = await lookRound(storage, dispatcher_id)
      for (const workspace_id of workspaces) wake(workspace_id)
      if (nextIn !== undefined) sleep = Math.min(sleep, nextIn)
    } catch (error) {
      complain(error)
    }
    forgetQuiet()
    if (!stopped) timer = setTimeout(tick, Math.max(sleep, GATHER_MS))
  }

  storage.onCommit(wake, dispatcher_id)
  await tick()

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      clearTimeout(gathering)
      storage.onCommit(() => {})
      const end = performance.now() + PATIENCE_MS
      const working = () => turning.size > 0 || [...known.values()].some(({ idle }) => !idle)
      while (working() && performance.now() < end) await pause(10)
      await life.end().catch(complain)
    },
  }
}
