import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { BEGINNING, hashOfEntry } from './audit-chain.ts'
import { endsOfEntries, entriesAfter, headAtHand } from './audit-log.ts'
import type { AuditEntryRow } from './tables.ts'

/** A place in a chain: an entry, and its hash with all before it. */
export interface Place {
  sequence: number
  hash: string
}

/** The first entry of a chain that is not as it was written, or is not there. */
export interface Fault {
  sequence: number
  fault: 'changed' | 'missing' | 'cut' | 'added' | 'rewritten'
  message: string
}

/** What a chain was found to be. */
export interface Verdict {
  /** The workspace, or `installation`. */
  chain: string
  /** Entries that are there. */
  entries: number
  /** Its end; null for a chain without an entry. */
  head: Place | null
  fault: Fault | null
}

interface Rules {
  /** Places that were noted earlier. */
  noted?: readonly Place[]
  /** How entries are hashed. */
  hash?: typeof hashOfEntry
}

/** Entries that are read at a time: memory does not grow with the chain. */
const AT_ONCE = 500

/**
 * Reads a chain to its end and tells the first entry that is wrong. The server may write meanwhile. One
 * that purges may take away what is being read: then it is read again.
 */
export async function verifyChain(
  storage: Storage,
  chain: string,
  rules: Rules = {},
): Promise<Verdict> {
  for (;;) {
    const reading = new Reading(storage, chain, rules)
    const verdict = await reading.verdict()
    if (!verdict.fault || !(await reading.wasPurged())) return verdict
  }
}

class Reading {
  readonly #storage: Storage
  readonly #actor: Actor
  readonly #noted: readonly Place[]
  readonly #hash: typeof hashOfEntry
  #first: AuditEntryRow | undefined
  #read = 0
  #last: Place = { sequence: 0, hash: BEGINNING }
  /** Where the chain itself says that it begins. */
  #purged: Place | undefined

  constructor(storage: Storage, chain: string, { noted = [], hash = hashOfEntry }: Rules) {
    this.#storage = storage
    this.#actor = { ...NOBODY, workspace_id: chain }
    this.#noted = noted
    this.#hash = hash
  }

  async verdict(): Promise<Verdict> {
    // An entry and the end of its chain are written together: no entry seen before is beyond the end.
    const { last } = await this.#ends()
    const head = await this.#storage.read(this.#actor, (tx) => tx.one(headAtHand, {}))
    const fault =
      (await this.#walk(head?.sequence ?? 0)) ?? this.#endFault(head, last ?? 0) ?? this.#lostNote()
    const chain = this.#actor.workspace_id
    return { chain, entries: this.#read, head: head ?? null, fault: fault ?? null }
  }

  async wasPurged(): Promise<boolean> {
    const { first } = await this.#ends()
    return first !== null && this.#first !== undefined && first > this.#first.sequence
  }

  async #ends(): Promise<{ first: number | null; last: number | null }> {
    const ends = await this.#storage.read(this.#actor, (tx) => tx.one(endsOfEntries, {}))
    return ends ?? { first: null, last: null }
  }

  async #walk(end: number): Promise<Fault | undefined> {
    let fault: Fault | undefined
    while (this.#last.sequence < end && !fault) {
      const which = { after: this.#last.sequence, limit: AT_ONCE }
      const page = await this.#storage.read(this.#actor, (tx) => tx.all(entriesAfter, which))
      if (page.length === 0) break
      for (const entry of page) {
        if (entry.sequence > end) break
        fault = this.#step(entry)
        if (fault) break
      }
    }
    return fault ?? this.#beginningFault()
  }

  #step(entry: AuditEntryRow): Fault | undefined {
    const { sequence, hash } = entry
    const isFirst = this.#first === undefined
    this.#first ??= entry
    this.#read += 1
    const expected = this.#last.sequence + 1
    if (sequence !== expected && !isFirst) {
      return faulty(expected, 'missing', 'is missing: what follows it is there')
    }
    // Of a chain that was purged the first entry is judged by what a later one says.
    const isJudged = !isFirst || sequence === 1
    if (isJudged && this.#hash(this.#last.hash, entry) !== hash) {
      return changed(sequence)
    }
    if (this.#noted.some((place) => place.sequence === sequence && place.hash !== hash)) {
      return rewritten(sequence)
    }
    if (entry.action === 'audit.purged') this.#purged = JSON.parse(entry.details) as Place
    this.#last = { sequence, hash }
    return undefined
  }

  #beginningFault(): Fault | undefined {
    const first = this.#first
    if (!first || first.sequence === 1) return undefined
    const { sequence, hash } = this.#purged ?? { sequence: 0, hash: BEGINNING }
    if (sequence < first.sequence - 1) {
      return faulty(sequence + 1, 'missing', 'is missing, and no entry says that it was purged')
    }
    if (this.#hash(hash, first) !== first.hash) return changed(first.sequence)
    const isOther = this.#noted.some((place) => place.sequence === sequence && place.hash !== hash)
    return isOther ? rewritten(sequence) : undefined
  }

  #endFault(head: Place | undefined, last: number): Fault | undefined {
    const reached = this.#last
    const end = head?.sequence ?? 0
    if (last > end) return faulty(end + 1, 'added', 'is behind the end of the chain')
    if (reached.sequence < end) {
      return faulty(reached.sequence + 1, 'cut', `and all up to ${end} are missing`)
    }
    if (head && end > 0 && reached.hash !== head.hash) {
      return faulty(end, 'changed', 'is the last, and is not what the end of the chain says')
    }
    return undefined
  }

  #lostNote(): Fault | undefined {
    const { sequence } = this.#last
    const lost = this.#noted.find((place) => place.sequence > sequence)
    if (!lost) return undefined
    const why = `and all up to ${lost.sequence}, which was noted, are missing`
    return faulty(sequence + 1, 'cut', why)
  }
}

const changed = (sequence: number) =>
  faulty(sequence, 'changed', 'is not what was written, or does not follow the one before')

const rewritten = (sequence: number) =>
  faulty(sequence, 'rewritten', 'is not the one that was noted: the chain was written anew')

const faulty = (sequence: number, fault: Fault['fault'], what: string): Fault => ({
  sequence,
  fault,
  message: `Entry ${sequence} ${what}.`,
})
