import { type MutationEntry, type MutationStorage, pickEntry } from './mutation-entry.ts'

/** Writes to a storage one after the other: a deletion must not overtake its entry. */
export class OrderedStorage<P> {
  readonly #storage: MutationStorage<P>
  #lastWrite: Promise<unknown> = Promise.resolve()
  /** What could not be deleted. It goes with the next write, or the next page would send it. */
  readonly #undeleted = new Set<string>()

  constructor(storage: MutationStorage<P>) {
    this.#storage = storage
  }

  /** Whether all of it is stored and deleted; if not, nothing is, and only the deletion is tried again. */
  write(puts: readonly MutationEntry<P>[], deletedKeys: readonly string[]): Promise<boolean> {
    const stored = puts.map(pickEntry)
    const write = this.#lastWrite.then(() => this.#attempt(stored, deletedKeys)).catch(() => false)
    this.#lastWrite = write
    return write
  }

  async #attempt(puts: readonly MutationEntry<P>[], deletedKeys: readonly string[]): Promise<true> {
    for (const { key } of puts) this.#undeleted.delete(key)
    for (const key of deletedKeys) this.#undeleted.add(key)
    const deleted = [...this.#undeleted]
    await this.#storage.write(puts, deleted)
    for (const key of deleted) this.#undeleted.delete(key)
    return true
  }
}
