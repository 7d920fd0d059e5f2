import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { cancelStale } from '#storage/deliveries.ts'
import { continueReplay } from '#storage/replays.ts'
import type { Attempt, attempts } from './attempt.ts'
import { fanOut } from './fan-out.ts'
import { replaysOf } from './fan-out-store.ts'
import type { Observer } from './observer.ts'
import { type Rules, record } from './record.ts'
import type { Slots } from './slots.ts'
import {
  claim,
  claimed,
  dispatchState,
  type Ready,
  readyDeliveries,
  type Target,
  targetsDue,
} from './store.ts'

/** What the sending of all workspaces shares. */
export interface Shared {
  storage: Storage
  dispatcher_id: string
  rules: Rules
  slots: Slots
  attempt: ReturnType<typeof attempts>
  observer: Observer
  log: { error(about: object, message: string): void }
  /** How many attempts may be under way in all, now. */
  most(): number
  /** Leaves the process to requests for a while, after having used it for so many milliseconds. */
  rest(usedMs: number): Promise<void>
  /** The workspace wants another turn. */
  again(workspace_id: string): void
}

/** Results that wait to be written down, beyond which nothing more is sent. */
const MOST_UNRECORDED = 256
const RECORDED_AT_ONCE = 64
/** So long what was seen is believed, if nobody says otherwise. */
const BELIEVED_MS = 500
const PAUSE_MS = 500
/** So long a workspace stays claimed, and its receivers known, when there is nothing to do. */
const QUIET_MS = 10_000

/**
 * What this process sends for one workspace. Only who holds the claim sends, and whatever is written
 * down names the claim: what comes late from one who has lost it is dropped (W9).
 */
export class Outgoing {
  readonly #shared: Shared
  readonly #actor: Actor
  /** The claim; undefined until it is made, and when it is lost. */
  #token: number | undefined
  /** Deliveries that are on their way or not written down yet, by webhook. */
  readonly #busy = new Map<string, Set<string>>()
  #underWay = 0
  #ended: Attempt[] = []
  #recording = false
  /** Webhooks that have something to send, as last seen. */
  #targets: Target[] = []
  #seen = Number.NEGATIVE_INFINITY
  #active = performance.now()

  constructor(shared: Shared, workspace_id: string) {
    this.#shared = shared
    this.#actor = { ...NOBODY, workspace_id }
  }

  /** Nothing is under way, and nothing waits to be written down. */
  get idle(): boolean {
    return this.#underWay === 0 && this.#ended.length === 0 && !this.#recording
  }

  /** Nothing was to be sent for a while. */
  get quiet(): boolean {
    const since = performance.now() - this.#active
    return this.idle && this.#targets.length === 0 && since > QUIET_MS
  }

  /** Something was committed: what was seen is not believed any more. */
  wake(): void {
    this.#seen = Number.NEGATIVE_INFINITY
  }

  /** Forgets what is known of its receivers. */
  forget(): void {
    for (const webhook_id of this.#busy.keys()) this.#shared.slots.forget(webhook_id)
  }

  /** Does what there is to do now, in bounded steps; asks for another turn where there is more. */
  async turn(): Promise<void> {
    if (performance.now() - this.#seen > BELIEVED_MS) await this.#look()
    await this.#send()
  }

  /** Sees what there is to do, takes the workspace over, and makes deliveries of what has happened. */
  async #look(): Promise<void> {
    const { storage, dispatcher_id } = this.#shared
    this.#seen = performance.now()
    const { state, due, replay } = await storage.read(this.#actor, async (tx) => ({
      state: await tx.one(dispatchState, { dispatcher_id, now: tx.now }),
      due: await tx.all(targetsDue, { now: tx.now }),
      replay: await tx.one(replaysOf, {}),
    }))
    const news = state?.has_unsent_events === 1
    this.#targets = []
    if (news || due.length > 0) this.#active = performance.now()
    if (!state || (!news && due.length === 0 && !replay)) return
    const held = this.#token !== undefined && state.dispatch_token === this.#token
    if (!held && (state.is_claimed || !(await this.#claim()))) return
    const stale = due.filter(({ has_stale }) => has_stale === 1)
    this.#targets = due.filter(({ is_active }) => is_active === 1)
    if (!news && stale.length === 0 && !replay) return
    await this.#prepare(async (tx) => {
      let more = news && (await fanOut(tx))
      for (const { id } of stale) more = (await cancelStale(tx, id)) || more
      if (replay) more = (await continueReplay(tx, replay)) || more
      const now = await tx.all(targetsDue, { now: tx.now })
      this.#targets = now.filter(({ is_active }) => is_active === 1)
      return more
    })
  }

  /** A step of work in the database that others may have to wait for. */
  async #prepare(step: (tx: WriteTx) => Promise<boolean>): Promise<void> {
    let used = 0
    const more = await this.#holding(async (tx) => {
      const from = performance.now()
      const left = await step(tx)
      used = performance.now() - from
      return left
    })
    await this.#shared.rest(used)
    if (more !== false) this.wake()
    if (more) this.#shared.again(this.#actor.workspace_id)
  }

  /** Takes the workspace over, unless somebody living has it. */
  async #claim(): Promise<boolean> {
    const { storage, dispatcher_id } = this.#shared
    this.#token = await storage.write(this.#actor, async (tx) => {
      const taken = await tx.run(claim, { dispatcher_id, now: tx.now })
      return taken === 1 ? (await tx.one(claimed, {}))?.dispatch_token : undefined
    })
    return this.#token !== undefined
  }

  /** Writes as the holder of the claim; does nothing, and gives nothing, when it is lost. */
  async #holding<T>(work: (tx: WriteTx) => Promise<T>): Promise<T | undefined> {
    const token = this.#token
    const done = await this.#shared.storage.write(this.#actor, async (tx) => {
      const state = await tx.one(claimed, {})
      return state?.dispatch_token === token ? { value: await work(tx) } : undefined
    })
    if (!done && this.#token === token) this.#token = undefined
    return done?.value
  }

  /** Sends of each webhook as much as there is room for, beginning with another each time. */
  async #send(): Promise<void> {
    const { storage, slots, most } = this.#shared
    const { workspace_id } = this.#actor
    for (const target of this.#targets.slice()) {
      if (this.#ended.length >= MOST_UNRECORDED) return
      const host = new URL(target.url).host
      const limit = slots.room(workspace_id, target.id, host, most())
      if (limit === 0) continue
      const { id: webhook_id, activation } = target
      const busy = [...(this.#busy.get(webhook_id) ?? [])]
      const found = await storage.read(this.#actor, (tx) =>
        tx.all(readyDeliveries, { webhook_id, activation, now: tx.now, busy, limit }),
      )
      // Another has its turn first the next time; what has nothing left waits for the next look.
      this.#targets = this.#targets.filter(({ id }) => id !== webhook_id)
      if (found.length > 0) this.#targets.push(target)
      for (const delivery of fairly(found, limit)) this.#begin(target, host, delivery)
    }
  }

  #begin(target: Target, host: string, delivery: Ready): void {
    const { slots, attempt, observer, again } = this.#shared
    const { workspace_id } = this.#actor
    const slot = slots.take(workspace_id, target.id, host)
    const busy = this.#busy.get(target.id) ?? new Set()
    this.#busy.set(target.id, busy.add(delivery.id))
    this.#underWay += 1
    attempt(workspace_id, target, delivery).then((ended) => {
      slot.free(ended.error !== 'timeout')
      this.#underWay -= 1
      this.#ended.push(ended)
      observer.attempted(ended)
      if (!this.#recording) this.#record()
      again(workspace_id)
    })
  }

  /** Writes down what has ended, until nothing is left; what fails is tried again. */
  async #record(): Promise<void> {
    const { rules, observer, log, again } = this.#shared
    this.#recording = true
    // What ends within the same turn of the event loop is written down together.
    await setImmediate()
    while (this.#ended.length > 0) {
      const batch = this.#ended.slice(0, RECORDED_AT_ONCE)
      try {
        const disabled = await this.#holding((tx) => record(tx, batch, rules))
        for (const { reason } of disabled ?? []) observer.disabled(reason)
        this.#ended = this.#ended.slice(batch.length)
        for (const { webhook_id, delivery } of batch)
          this.#busy.get(webhook_id)?.delete(delivery.id)
      } catch (err) {
        log.error({ err }, 'Results of deliveries could not be written down')
        await pause(PAUSE_MS)
      }
    }
    this.#recording = false
    this.wake()
    again(this.#actor.workspace_id)
  }
}

/** Tests and redeliveries first; events as they come and replays take turns. */
function fairly(found: readonly Ready[], limit: number): Ready[] {
  const of = (queue: Ready['queue']) => found.filter((one) => one.queue === queue)
  const [direct, live, replay] = [of(0), of(1), of(2)]
  const longer = Math.max(live.length, replay.length)
  const mixed = Array.from({ length: longer }, (_, at) => [live[at], replay[at]]).flat()
  return [...direct, ...mixed].filter((one) => one !== undefined).slice(0, limit)
}
