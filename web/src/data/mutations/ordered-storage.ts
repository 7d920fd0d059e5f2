import { type MutationEntry, type MutationStorage, pickEntry } from './mutation-entry.ts'

/** Writes to a storage one after the other: a deletion must not overtake its entry. */
export class OrderedStorage<P> {
  readonly #storage: MutationStorage<P>
  #lastWrite: Promise<unknown> = Promise.resolve()

  constructor(storage: MutationStorage<P>) {
    this.#storage = storage
  }

  /** Whether all of it is stored and deleted; if not, nothing is. */
  write(puts: readonly MutationEntry<P>[], deletedKeys: readonly string[]): Promise<boolean> {
    const stored = puts.map(pickEntry)
    const write = this.#lastWrite
      .then(() => this.#storage.write(stored, deletedKeys))
      .then(
        () => true,
        () => false,
      )
    this.#lastWrite = write
    return write
  }
}
