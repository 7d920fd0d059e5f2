import type { MutationEntry } from '../../web/src/data/mutations/mutation-entry.ts'
import type { StoredMutation } from '../../web/src/data/mutations/stored-mutation.ts'
import type { CachedReply } from '../../web/src/lib/http/reply-cache.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export type DatabaseEntry = MutationEntry<StoredMutation>

/** What a page of the browser sees of its database. */
interface DatabasePage {
  readonly isOpen: boolean
}

/** The IndexedDB of one browser: the mutation log, and the replies with the copies of projects. */
export class SimulatedDatabase {
  /** It accepts nothing more. */
  isFull = false
  readonly entries = new Map<string, DatabaseEntry>()
  readonly #replies = new Map<string, CachedReply>()
  readonly #world: SimulatedWorld
  readonly #onStored: (entry: DatabaseEntry) => void
  /** Transactions on the same store run one after the other. */
  #lastTransaction: Promise<void> = Promise.resolve()

  constructor(world: SimulatedWorld, onStored: (entry: DatabaseEntry) => void) {
    this.#world = world
    this.#onStored = onStored
  }

  toggleFull(): void {
    this.isFull = !this.isFull
  }

  /** The global `indexedDB` of a page. */
  createFactory(page: DatabasePage) {
    return {
      open: (name: string) => {
        const isLog = name === 'docket-mutations'
        const request: SimulatedOpenRequest = {
          result: { transaction: () => (isLog ? this.#transact(page) : this.#openReplies(page)) },
          onsuccess: undefined,
        }
        queueMicrotask(() => request.onsuccess?.())
        return request
      },
    }
  }

  /** A transaction on the replies, which may be lost with their page. */
  #openReplies(page: DatabasePage) {
    const puts: CachedReply[] = []
    const after = (run: () => void) => this.#world.after(this.#world.random() * 10, run)
    after(() => {
      if (this.isFull || (!page.isOpen && this.#world.random() < 0.5)) return
      for (const reply of puts) this.#replies.set(reply.key, reply)
    })
    const store = {
      transaction: { commit: () => undefined },
      index: () => ({ openKeyCursor: () => ({}) }),
      put(reply: CachedReply) {
        puts.push(reply)
        return {}
      },
      get: (key: string) => {
        const request: { result?: CachedReply | undefined; onsuccess?: () => void } = {}
        after(() => {
          if (!page.isOpen) return
          request.result = this.#replies.get(key)
          request.onsuccess?.()
        })
        return request
      },
    }
    return { objectStore: () => store }
  }

  /** One transaction: all of it is stored or nothing, even if the page ends meanwhile. */
  #transact(page: DatabasePage) {
    const puts: DatabaseEntry[] = []
    const deletedKeys: string[] = []
    const reads: (() => void)[] = []
    const isFull = this.isFull
    const read = <T>(getResult: () => T) => {
      const request: { result: T | undefined; onsuccess?: () => void } = { result: undefined }
      reads.push(() => {
        request.result = getResult()
        request.onsuccess?.()
      })
      return request
    }
    const transaction: SimulatedTransaction = {
      error: new Error('QuotaExceededError'),
      oncomplete: undefined,
      onabort: undefined,
      objectStore: () => ({
        put: (entry) => void puts.push(structuredClone(entry)),
        delete: (key) => void deletedKeys.push(key),
        getAll: () => read(() => structuredClone([...this.entries.values()])),
        count: () => read(() => this.entries.size),
      }),
    }
    const run = () => {
      if (!page.isOpen && this.#world.random() < 0.5) return
      // What a read leads to is part of the transaction.
      if (page.isOpen) for (const one of reads) one()
      if (isFull && puts.length > 0) {
        if (page.isOpen) transaction.onabort?.()
        return
      }
      for (const entry of puts) {
        this.entries.set(entry.key, entry)
        this.#onStored(entry)
      }
      for (const key of deletedKeys) this.entries.delete(key)
      if (page.isOpen) transaction.oncomplete?.()
    }
    this.#lastTransaction = this.#lastTransaction.then(
      () =>
        new Promise<void>((resolve) => {
          this.#world.after(this.#world.random() * 10, () => {
            run()
            resolve()
          })
        }),
    )
    return transaction
  }
}

interface SimulatedOpenRequest {
  result: { transaction: () => object }
  onsuccess: (() => void) | undefined
}

interface SimulatedTransaction {
  error: Error
  oncomplete: (() => void) | undefined
  onabort: (() => void) | undefined
  objectStore: () => {
    put: (entry: DatabaseEntry) => void
    delete: (key: string) => void
    getAll: () => unknown
    count: () => unknown
  }
}
