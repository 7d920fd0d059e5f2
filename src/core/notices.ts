import type { Noted } from './noted.ts'
import { type Coming, type Count, type Listener, type Part, Ring, type Told } from './ring.ts'

/** How long notices are kept for somebody who may come back. */
const REMEMBERED_MS = 120_000
/** So many notices of a workspace are kept at least, while they are; and of all at most. */
const KEPT = 1_000
const KEPT_IN_ALL = 50_000

/** How notices are numbered: by this process, or by the database for all that share it. */
export interface Numbering {
  isShared: boolean
  /** Called when somebody begins to look at a workspace here. */
  onWatched?: (workspace_id: string) => void
}

/**
 * What has changed in each workspace, for those who look on in this process. Numbered in order of
 * commit, and kept for a while so that a reader who was cut off goes on without a gap. Of a workspace
 * at which nobody looks nothing is made and nothing is kept: writing costs nothing then.
 */
export class Notices {
  readonly #numbering: Numbering
  readonly #rings = new Map<string, Ring>()
  #kept = 0
  #swept = 0
  /** How often readers were told to read everything anew, because something was missed. */
  resets = 0
  /** Whether other processes are heard; undefined where there is nobody to be heard. */
  isLinked: boolean | undefined

  constructor(numbering: Numbering = { isShared: false }) {
    this.#numbering = numbering
  }

  /** Whether somebody looks on, or did a while ago. */
  get watched(): boolean {
    return this.#rings.size > 0
  }

  /** The same of one workspace, here or at another process. */
  isWatched(workspace_id: string): boolean {
    return this.#rings.has(workspace_id)
  }

  /** The workspaces of those who look on here. */
  listenedTo(): string[] {
    const listened: string[] = []
    for (const [id, { listeners }] of this.#rings) if (listeners.size > 0) listened.push(id)
    return listened
  }

  /** Somebody looks on at another process, and may come here next. */
  keep(workspace_id: string): void {
    this.#ringOf(workspace_id)
  }

  /**
   * Up to where whoever reads now knows everything: to be asked before what is read. From then on
   * notices are kept for a while. Where the database numbers, `ask` gives its count.
   */
  async newest(workspace_id: string, ask: () => Promise<number>): Promise<string> {
    const ring = this.#watch(workspace_id)
    if (this.#numbering.isShared && ring.listeners.size === 0) {
      const { seq } = ring
      ring.asking += 1
      const count = await ask().finally(() => {
        ring.asking -= 1
      })
      this.#counted(ring, { seq, count, isSure: false })
    }
    return ring.id
  }

  /** Compares what was told to those who look on here with what the database counts. */
  async check(
    ask: (workspace_ids: readonly string[]) => Promise<ReadonlyMap<string, number>>,
    isSure: boolean,
  ): Promise<void> {
    const before = new Map<string, number>()
    for (const [id, { listeners, isKnown, seq }] of this.#rings) {
      if (listeners.size > 0 && isKnown) before.set(id, seq)
    }
    if (before.size === 0) return
    for (const [id, count] of await ask([...before.keys()])) {
      const [ring, seq] = [this.#rings.get(id), before.get(id)]
      if (ring && seq !== undefined) this.#counted(ring, { seq, count, isSure })
    }
  }

  /**
   * Tells a listener of all that comes. `missed` is what came after the notice `after`, or undefined
   * where that is not known any more; without `after` nothing was missed.
   */
  listen(workspace_id: string, after: string | undefined, listener: Listener) {
    const ring = this.#watch(workspace_id)
    ring.listeners.add(listener)
    const missed = after === undefined ? [] : ring.after(after)
    const close = () => {
      ring.listeners.delete(listener)
      ring.until = performance.now() + REMEMBERED_MS
    }
    return { missed, id: ring.id, close }
  }

  /** What a committed transaction has noted; it is numbered here. */
  publish(workspace_id: string, noted: readonly Noted[], actor_id: string | null): void {
    if (noted.length > 0) this.#come(workspace_id, { noted, actor_id })
  }

  /** The same, as the database has numbered it. */
  take(workspace_id: string, part: Part): void {
    this.#come(workspace_id, part)
  }

  /** Something was changed of which nothing is known, by another process say. */
  reset(): void {
    for (const [workspace_id, ring] of this.#rings) {
      if (isOver(ring)) this.#rings.delete(workspace_id)
      this.#restart(ring, ring.seq)
    }
  }

  #come(workspace_id: string, coming: Coming): void {
    const ring = this.#rings.get(workspace_id)
    if (!ring) return
    if (isOver(ring)) {
      this.#forget(workspace_id, ring)
      return
    }
    // Later, for the commit is answered first, and what goes wrong here is none of its business.
    if (ring.coming.length === 0) setImmediate(() => this.#tell(ring))
    ring.coming.push(coming)
  }

  #tell(ring: Ring): void {
    const told = ring.flush()
    if (told.length === 0) return
    this.#keep(ring, told)
    for (const listener of ring.listeners) listener.told(told)
  }

  #counted(ring: Ring, counted: Count): void {
    if (ring.misses(counted)) this.#restart(ring, counted.count)
    this.#tell(ring)
  }

  #restart(ring: Ring, count: number): void {
    this.#kept -= ring.kept.length
    ring.restart(count)
    this.resets += ring.listeners.size
    for (const listener of ring.listeners) listener.reset(ring.id)
  }

  #watch(workspace_id: string): Ring {
    if (!this.#rings.has(workspace_id)) this.#numbering.onWatched?.(workspace_id)
    return this.#ringOf(workspace_id)
  }

  #ringOf(workspace_id: string): Ring {
    this.#sweep()
    let ring = this.#rings.get(workspace_id)
    if (!ring) {
      ring = new Ring(this.#numbering.isShared)
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

const isOver = ({ listeners, until }: Ring) => listeners.size === 0 && performance.now() > until
