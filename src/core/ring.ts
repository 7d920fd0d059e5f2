import { randomBytes } from 'node:crypto'
import type { Notice } from '#wire/notice.ts'
import { type Made, type Noted, noticesOf } from './noted.ts'

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

/** Notices that follow one another, by the number of the first. */
export interface Part {
  first: number
  made: readonly Made[]
}

/** What a commit brings: numbered by the database, or yet to be numbered here. */
export type Coming = Part | { noted: readonly Noted[]; actor_id: string | null }

/** What the database counts: `seq` is what was told when it was asked. */
export interface Count {
  seq: number
  count: number
  /** Whether what was not told by now is not told at all, for nobody listened. */
  isSure: boolean
}

/** The epoch in which the database numbers, for all processes alike. */
const COMMON = 'all'
/** What was counted so long ago and is not told yet does not come any more. */
const OVERDUE_MS = 400

/**
 * The newest notices of a workspace. Either they are numbered here, or the database does it: then
 * parts come from several processes, in any order, and are told in that of their numbers.
 */
export class Ring {
  readonly listeners = new Set<Listener>()
  /** What was not looked at yet. */
  readonly coming: Coming[] = []
  /** The last that were told, without a gap. */
  kept: Told[] = []
  /** Until when it is kept without a listener: `performance.now()`. */
  until = 0
  /** How many ask for the count now: until it is known, parts wait. */
  asking = 0
  readonly #isShared: boolean
  #epoch: string
  /** The last that was told; undefined until it is known. */
  #seq: number | undefined
  /** Parts before which something is missing, by their first number. */
  readonly #early = new Map<number, Part>()
  #counted = 0
  /** What has to be told at the latest `OVERDUE_MS` after `#dueAt`. */
  #due = 0
  #dueAt = Number.NEGATIVE_INFINITY

  constructor(isShared: boolean) {
    this.#isShared = isShared
    this.#epoch = isShared ? COMMON : newEpoch()
    this.#seq = isShared ? undefined : 0
  }

  get isKnown(): boolean {
    return this.#seq !== undefined
  }

  get seq(): number {
    return this.#seq ?? 0
  }

  get id(): string {
    return `${this.#epoch}.${this.seq}`
  }

  /** What can be told now, in order. */
  flush(): Told[] {
    const told: Told[] = []
    for (const one of this.coming.splice(0)) {
      this.#sort(one)
      this.#tell(told)
    }
    this.#tell(told)
    return told
  }

  /** Whether some were missed, by what the database counts; then it has to start anew from there. */
  misses({ seq, count, isSure }: Count): boolean {
    this.#counted = count
    if (this.#seq === undefined) {
      this.#goOnFrom(count)
      return false
    }
    const isDue = performance.now() > this.#dueAt + OVERDUE_MS
    if (this.#seq < (isSure ? count : isDue ? this.#due : 0)) return true
    if (isDue) [this.#due, this.#dueAt] = [count, performance.now()]
    // It counts less than it did: it is an older one, restored or standing in.
    return count < seq
  }

  /** Something was missed: nobody goes on from before. */
  restart(count: number): void {
    this.kept = []
    if (this.#isShared) this.#goOnFrom(count)
    else this.#epoch = newEpoch()
  }

  /** The notices after one that was told; undefined where some of them are gone, or it was never told. */
  after(id: string): readonly Told[] | undefined {
    const [, epoch, digits = ''] = /^([\w-]{1,20})\.(\d{1,15})$/.exec(id) ?? []
    const missed = this.seq - Number(digits)
    if (epoch !== this.#epoch || missed > this.kept.length) return undefined
    // Another process may have told it before it came here.
    if (missed < 0) return Number(digits) <= this.#counted ? [] : undefined
    return missed === 0 ? [] : this.kept.slice(-missed)
  }

  #sort(one: Coming): void {
    const part =
      'made' in one ? one : { first: this.seq + 1, made: noticesOf(one.noted, one.actor_id) }
    if (this.#seq === undefined || part.first > this.#seq) this.#early.set(part.first, part)
  }

  #tell(told: Told[]): void {
    if (this.#early.size === 0 || (this.#seq === undefined && this.asking > 0)) return
    this.#seq ??= Math.min(...this.#early.keys()) - 1
    for (let part = this.#next(); part; part = this.#next()) {
      for (const { notice, only_for } of part.made) {
        this.#seq += 1
        const text = JSON.stringify({ seq: this.#seq, ...notice })
        told.push({ id: this.id, notice, only_for, text })
      }
    }
  }

  #next(): Part | undefined {
    const part = this.#early.get(this.seq + 1)
    if (part) this.#early.delete(part.first)
    return part
  }

  #goOnFrom(count: number): void {
    ;[this.#seq, this.#counted, this.#due] = [count, count, count]
    for (const first of this.#early.keys()) if (first <= count) this.#early.delete(first)
  }
}

const newEpoch = () => randomBytes(6).toString('base64url')
