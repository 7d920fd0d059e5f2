import { randomBytes } from 'node:crypto'
import type { Notice } from '#wire/notice.ts'
import { type Noted, noticesOf } from './noted.ts'

/** How long notices are kept for somebody who may come back. */
const REMEMBERED_MS = 120_000
/** So many notices of a workspace are kept at least, while they are; and of all at most. */
const KEPT = 1_000
const KEPT_IN_ALL = 50_000

/** A notice, as it is told to whoever may know. */
export interface Told {
  /** By which a reader goes on after it: `<epoch>.<seq>`. */
  id: string
  notice: Omit<Notice, 'seq'>
  /** Whom it concerns beside owners and admins: a person, or (empty) nobody; undefined: everybody. */
  only_for: string | undefined
  /** The JSON of the notice with its number. */
  text: string
}

/** Somebody who looks on. */
export interface Listener {
  /** What some commits brought, in order. */
  told(notices: readonly Told[]): void
  /** What happened is not known: everything is to be read again, and goes on from `id`. */
  reset(id: string): void
}

interface Ring {
  epoch: string
  seq: number
  kept: Told[]
  /** What commits have noted and was not told yet. */
  coming: { noted: readonly Noted[]; actor_id: string | null }[]
  listeners: Set<Listener>
  /** Until when it is kept without a listener: `performance.now()`. */
  until: number
}

/**
 * What has changed in each workspace, for those who look on in this process. Numbered in order of
 * commit, and kept for a while so that a reader who was cut off goes on without a gap. Of a workspace
 * at which nobody looks nothing is made and nothing is kept: writing costs nothing then.
 */
export class Notices {
  readonly #rings = new Map<string, Ring>()
  #kept = 0
  #swept = 0

  /** Whether somebody looks on, or did a while ago. */
  get watched(): boolean {
    return this.#rings.size > 0
  }

  /**
   * Up to where whoever reads now knows everything: to be asked before what is read. From then on
   * notices are kept for a while.
   */
  newest(workspace_id: string): string {
    return idIn(this.#ringOf(workspace_id))
  }

  /**
   * Tells a listener of all that comes. `missed` is what came after the notice `after`, or undefined
   * where that is not known any more; without `after` nothing was missed.
   */
  listen(workspace_id: string, after: string | undefined, listener: Listener) {
    const ring = this.#ringOf(workspace_id)
    ring.listeners.add(listener)
    const missed = after === undefined ? [] : keptAfter(ring, after)
    const close = () => {
      ring.listeners.delete(listener)
      ring.until = performance.now() + REMEMBERED_MS
    }
    return { missed, id: idIn(ring), close }
  }

  /** What a committed transaction has noted. */
  publish(workspace_id: string, noted: readonly Noted[], actor_id: string | null): void {
    const ring = this.#rings.get(workspace_id)
    if (!ring || noted.length === 0) return
    if (isOver(ring)) {
      this.#forget(workspace_id, ring)
      return
    }
    // Later, for the commit is answered first, and what goes wrong here is none of its business.
    if (ring.coming.length === 0) setImmediate(() => this.#tell(ring))
    ring.coming.push({ noted, actor_id })
  }

  /** Something was changed of which nothing is known, by another process say. */
  reset(): void {
    this.#kept = 0
    for (const [workspace_id, ring] of this.#rings) {
      if (isOver(ring)) this.#rings.delete(workspace_id)
      Object.assign(ring, { epoch: newEpoch(), kept: [] })
      for (const listener of ring.listeners) listener.reset(idIn(ring))
    }
  }

  #tell(ring: Ring): void {
    const told: Told[] = []
    for (const { noted, actor_id } of ring.coming.splice(0)) {
      for (const { notice, only_for } of noticesOf(noted, actor_id)) {
        ring.seq += 1
        const text = JSON.stringify({ seq: ring.seq, ...notice })
        told.push({ id: idIn(ring), notice, only_for, text })
      }
    }
    this.#keep(ring, told)
    for (const listener of ring.listeners) listener.told(told)
  }

  #ringOf(workspace_id: string): Ring {
    this.#sweep()
    let ring = this.#rings.get(workspace_id)
    if (!ring) {
      ring = { epoch: newEpoch(), seq: 0, kept: [], coming: [], listeners: new Set(), until: 0 }
      this.#rings.set(workspace_id, ring)
    }
    ring.until = performance.now() + REMEMBERED_MS
    return ring
  }

  #keep(ring: Ring, told: readonly Told[]): void {
    ring.kept.push(...told)
    this.#kept += told.length
    if (ring.kept.length > 2 * KEPT) {
      this.#kept -= ring.kept.length - KEPT
      ring.kept = ring.kept.slice(-KEPT)
    }
    if (this.#kept <= KEPT_IN_ALL) return
    // Whoever comes back to one of these reads everything again.
    for (const other of this.#rings.values()) other.kept = []
    this.#kept = 0
  }

  #sweep(): void {
    const now = performance.now()
    if (now < this.#swept + REMEMBERED_MS) return
    this.#swept = now
    for (const [workspace_id, ring] of this.#rings) {
      if (isOver(ring)) this.#forget(workspace_id, ring)
    }
  }

  #forget(workspace_id: string, ring: Ring): void {
    this.#rings.delete(workspace_id)
    this.#kept -= ring.kept.length
  }
}

const newEpoch = () => randomBytes(6).toString('base64url')

const idIn = ({ epoch, seq }: Ring) => `${epoch}.${seq}`

const isOver = ({ listeners, until }: Ring) => listeners.size === 0 && performance.now() > until

/** The notices after one that was told; undefined where some of them are gone, or it was never told. */
function keptAfter({ epoch, seq, kept }: Ring, id: string): readonly Told[] | undefined {
  const [, its_epoch, digits = ''] = /^([\w-]{1,20})\.(\d{1,15})$/.exec(id) ?? []
  const missed = seq - Number(digits)
  if (its_epoch !== epoch || missed < 0 || missed > kept.length) return undefined
  return missed === 0 ? [] : kept.slice(-missed)
}
