import { setImmediate } from 'node:timers/promises'
import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { cancelStale } from '#storage/deliveries.ts'
import { continueReplay } from '#storage/replays.ts'
import type { Attempt, attempts } from './attempt.ts'
import { Claim } from './claim.ts'
import { FANNED_OUT, fanOut } from './fan-out.ts'
import { replaysOf } from './fan-out-store.ts'
import { Line } from './line.ts'
import type { Observer } from './observer.ts'
import type { Pace } from './pace.ts'
import type { Rules } from './record.ts'
import { type Disabled, Results } from './results.ts'
import type { Slots } from './slots.ts'
import { dispatchState, readyDeliveries, type Target, targetsDue } from './store.ts'
import { GONE } from './verdict.ts'

/** What the sending of all workspaces shares. */
export interface Shared {
  storage: Storage
  dispatcher_id: string
  rules: Rules
  slots: Slots
  attempt: ReturnType<typeof attempts>
  observer: Observer
  log: { error(about: object, message: string): void }
  pace: Pace
  /** The workspace wants another turn, at once or when others have had the process for a while. */
  again(workspace_id: string, afterMs?: number): void
}

/** So many are read ahead of a webhook while requests come. */
const FEW_AHEAD = 16
/** Results that wait to be written down, beyond which nothing more is sent. */
const MOST_UNWRITTEN = 1_000
/** So long what was seen is believed, if nobody says otherwise. */
const BELIEVED_MS = 500
/** Who takes so long holds places that others need. */
const SLOW_MS = 3_000
/** When requests come first, deliveries ask again after so long. */
const SOON_MS = 10
/** So long a workspace stays claimed, and its receivers known, when there is nothing to do. */
const QUIET_MS = 10_000

/** What this process sends for one workspace, as long as it holds the claim. */
export class Outgoing {
  readonly #shared: Shared
  readonly #actor: Actor
  readonly #claim: Claim
  readonly #results: Results
  /** Deliveries that are on their way or not written down yet, by webhook. */
  readonly #busy = new Map<string, Set<string>>()
  #underWay = 0
  /** Webhooks that have something to send, as last seen; the first has its turn next. */
  #lines: Line[] = []
  #seen = Number.NEGATIVE_INFINITY
  #active = performance.now()
  /** Until then nothing is prepared: requests have the process first. */
  #restsUntil = 0

  constructor(shared: Shared, workspace_id: string) {
    this.#shared = shared
    this.#actor = { ...NOBODY, workspace_id }
    const { storage, dispatcher_id, rules, log, pace } = shared
    this.#claim = new Claim(storage, this.#actor, dispatcher_id)
    this.#results = new Results({
      ...{ claim: this.#claim, rules, log, pace },
      written: (attempts, disabled) => this.#written(attempts, disabled),
      empty: () => {
        this.wake()
        shared.again(workspace_id)
      },
    })
  }

  /** Nothing is under way, and nothing waits to be written down. */
  get idle(): boolean {
    return this.#underWay === 0 && this.#results.idle
  }

  /** Nothing was to be sent for a while. */
  get quiet(): boolean {
    const since = performance.now() - this.#active
    return this.idle && this.#lines.length === 0 && since > QUIET_MS
  }

  /** Something was committed: what was seen is not believed any more. */
  wake(): void {
    this.#seen = Number.NEGATIVE_INFINITY
  }

  /** Does what there is to do now, in bounded steps; asks for another turn where there is more. */
  async turn(): Promise<void> {
    if (performance.now() - this.#seen > BELIEVED_MS) await this.#look()
    await this.#send()
  }

  /** Sees what there is to do, takes the workspace over, and makes deliveries of what has happened. */
  async #look(): Promise<void> {
    const { storage, dispatcher_id, pace } = this.#shared
    this.#seen = performance.now()
    const { state, due, replay } = await storage.read(this.#actor, async (tx) => ({
      state: await tx.one(dispatchState, { dispatcher_id, now: tx.now }),
      due: await tx.all(targetsDue, { now: tx.now }),
      replay: await tx.one(replaysOf, {}),
    }))
    const news = state?.has_unsent_events === 1
    if (news || due.length > 0) this.#active = performance.now()
    const held = state !== undefined && this.#claim.is(state.dispatch_token)
    if (!held) this.#drop()
    if (!state || (!news && due.length === 0 && !replay)) return this.#aim([])
    if (!held && (state.is_claimed || !(await this.#claim.make()))) return
    this.#aim(due)
    if (performance.now() < this.#restsUntil) return
    const stale = due.filter(({ has_stale }) => has_stale === 1)
    if (!news && stale.length === 0 && !replay) return
    await this.#prepare(async (tx) => {
      let more = news && (await fanOut(tx, pace.attended ? FANNED_OUT.few : FANNED_OUT.many))
      for (const { id } of stale) more = (await cancelStale(tx, id)) || more
      if (replay) more = (await continueReplay(tx, replay)) || more
      return { more, due: await tx.all(targetsDue, { now: tx.now }) }
    })
  }

  /** Sends to these webhooks from now on; what was read ahead of others is left. */
  #aim(due: readonly Target[]): void {
    const lines = new Map(this.#lines.map((line) => [line.target.id, line]))
    this.#lines = due
      .filter(({ is_active }) => is_active === 1)
      .map((target) => {
        const line = lines.get(target.id)
        this.#shared.slots.meet(target.id, target.failure_count > 0)
        if (line?.target.activation !== target.activation) return new Line(target)
        lines.delete(target.id)
        return line.renew(target)
      })
    for (const line of lines.values()) this.#leave(line)
  }

  #leave(line: Line): void {
    for (const { id } of line.ready) this.#free(line.target.id, id)
    line.ready = []
  }

  #free(webhook_id: string, id: string): void {
    const busy = this.#busy.get(webhook_id)
    busy?.delete(id)
    if (busy?.size === 0) this.#busy.delete(webhook_id)
  }

  /** Sends no more of what was read ahead of a webhook. */
  #giveUp(webhook_id: string): void {
    for (const line of this.#lines) if (line.target.id === webhook_id) this.#leave(line)
    this.#lines = this.#lines.filter(({ target }) => target.id !== webhook_id)
  }

  #written(attempts: readonly Attempt[], disabled: readonly Disabled[]): void {
    for (const { webhook_id, delivery } of attempts) this.#free(webhook_id, delivery.id)
    for (const { id, reason } of disabled) {
      this.#giveUp(id)
      this.#shared.observer.disabled(reason)
    }
  }

  /** Without the claim nothing that was read is to be sent. */
  #drop(): void {
    for (const line of this.#lines) this.#leave(line)
    this.#lines = []
  }

  /** A step of work in the database that others may have to wait for. */
  async #prepare(step: (tx: WriteTx) => Promise<{ more: boolean; due: Target[] }>): Promise<void> {
    let used = 0
    const done = await this.#claim.holding(async (tx) => {
      const from = performance.now()
      const found = await step(tx)
      used = performance.now() - from
      return found
    })
    this.#aim(done?.due ?? [])
    const rest = this.#shared.pace.restAfter(used)
    this.#restsUntil = performance.now() + rest
    if (done?.more || rest > 0) this.#shared.again(this.#actor.workspace_id, rest)
    if (done?.more) this.wake()
  }

  /** Sends of each webhook as much as there is room for, beginning with another each time. */
  async #send(): Promise<void> {
    for (const line of this.#lines.slice()) {
      if (this.#results.waiting >= MOST_UNWRITTEN) return
      if (line.ready.length === 0 && !line.exhausted && this.#room(line) > 0) await this.#read(line)
      if (!this.#lines.includes(line)) {
        // It was given up while it was read.
        this.#leave(line)
        continue
      }
      // Another is the first to have its turn the next time.
      this.#lines = this.#lines.filter((one) => one !== line)
      if (line.ready.length > 0 || !line.exhausted) this.#lines.push(line)
      this.#begin(line)
      // What SQLite reads is there at once: without a pause all lines would be one long turn.
      if (this.#shared.pace.attended) await setImmediate()
    }
  }

  #room({ target, host }: Line): number {
    return this.#shared.slots.room(this.#actor.workspace_id, target.id, host)
  }

  async #read(line: Line): Promise<void> {
    const { pace } = this.#shared
    const { id: webhook_id, activation } = line.target
    const limit = pace.attended ? Math.min(line.ahead, FEW_AHEAD) : line.ahead
    const which = { webhook_id, activation, limit }
    const busy = [...(this.#busy.get(webhook_id) ?? [])]
    const found = await this.#shared.storage.read(this.#actor, (tx) =>
      tx.all(readyDeliveries, { ...which, busy, now: tx.now }),
    )
    line.fill(found, limit)
    const taken = this.#busy.get(webhook_id) ?? new Set()
    for (const { id } of line.ready) taken.add(id)
    if (taken.size > 0) this.#busy.set(webhook_id, taken)
  }

  /** Begins what is ready of a line, as far as there is room. */
  #begin(line: Line): void {
    const { slots, pace, attempt, observer, again } = this.#shared
    const { workspace_id } = this.#actor
    const { target, host } = line
    if (line.ready.length === 0) return
    const { allowed } = pace
    if (allowed === 0) again(workspace_id, SOON_MS)
    for (let room = Math.min(this.#room(line), allowed); room > 0; room--) {
      const delivery = line.ready.shift()
      if (!delivery) return
      pace.began()
      const slot = slots.take(workspace_id, target.id, host)
      this.#underWay += 1
      attempt(workspace_id, target, delivery).then((ended) => {
        slot.free(ended.error !== 'timeout' && ended.duration_ms < SLOW_MS)
        this.#underWay -= 1
        if (ended.status === GONE) this.#giveUp(target.id)
        observer.attempted(ended)
        this.#results.add(ended)
        again(workspace_id)
      })
    }
  }
}
