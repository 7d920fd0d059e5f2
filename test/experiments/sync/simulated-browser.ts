import type { MutationEntry } from '../../../web/src/data/mutations/mutation-entry.ts'
import type { Task } from '../../../web/src/data/tasks/task-patch.ts'
import { SimulatedPage } from './simulated-page.ts'
import type { SimulatedPayload } from './simulated-payload.ts'
import type { SimulatedWorld } from './simulated-world.ts'

/** When the next page is open. Writes that were under way have ended by then. */
export const REOPEN_MS = 50

/** A browser of one person: a page that crashes and is opened again, and its storage. */
export class SimulatedBrowser {
  isOnline = true
  /** Its storage accepts nothing more. */
  isFull = false
  /** How far its clock is wrong, in ms. */
  clockError = 0
  page: SimulatedPage
  /** Keys of refused mutations, whose reason was shown. */
  readonly shownRefusals = new Set<string>()
  /** Keys of changes that the person has dropped for somebody else's. */
  readonly dropped = new Set<string>()
  /** Keys of mutations that the person knew not to be stored when the page crashed. */
  readonly unstored = new Set<string>()
  /** When mutations were undone before they were sent. */
  readonly cancelledAt = new Map<string, number>()
  /** The texts that the person has chosen in a conflict, once they were stored. */
  readonly storedTexts = new Map<string, string | undefined>()
  /** All values of fields that the person has seen, as JSON. */
  readonly seen = new Set(['""'])
  readonly #entries = new Map<string, MutationEntry<SimulatedPayload>>()
  readonly #world: SimulatedWorld

  constructor(world: SimulatedWorld) {
    this.#world = world
    this.page = new SimulatedPage(this, world)
    world.server.listeners.push((task) => this.#follow(task))
  }

  /**
   * Tells the page of a write, in no certain order. Before the faults end, a page learns of others'
   * writes only by what it reads itself: the older its tasks are, the more conflicts there are.
   */
  #follow(task: Task | undefined): void {
    const { page } = this
    if (this.#world.isCalm)
      this.#world.after(this.#world.random() * 2_000, () => page.receive(task))
  }

  get now(): number {
    return this.#world.now + this.clockError
  }

  /** One transaction: all of it is stored or nothing, even if the page ends meanwhile. */
  write(
    page: SimulatedPage,
    puts: readonly MutationEntry<SimulatedPayload>[],
    deletedKeys: readonly string[],
  ): Promise<void> {
    const isFull = this.isFull
    return new Promise((resolve, reject) => {
      this.#world.after(this.#world.random() * 20, () => {
        if (!page.isOpen && this.#world.random() < 0.5) return
        if (isFull && puts.length > 0) return reject(new Error('QuotaExceededError'))
        for (const entry of puts) this.#entries.set(entry.key, structuredClone(entry))
        for (const key of deletedKeys) this.#entries.delete(key)
        resolve()
      })
    })
  }

  /** The entries that the last page has left, in their order. */
  claim(): MutationEntry<SimulatedPayload>[] {
    return [...this.#entries.values()].toSorted((a, b) => a.turn - b.turn)
  }

  /** The page ends at once, and another is opened. */
  async crash(): Promise<void> {
    this.#endPage()
    await this.#world.pass(REOPEN_MS)
    this.page = new SimulatedPage(this, this.#world)
  }

  /** Lets the page end while it sends what it has just stored. */
  crashSoon(): void {
    const { page } = this
    this.#world.after(this.#world.random() * 50, () => {
      if (!page.isOpen || this.#world.isCalm) return
      this.#endPage()
      this.#world.after(REOPEN_MS, () => {
        this.page = new SimulatedPage(this, this.#world)
      })
    })
  }

  #endPage(): void {
    const { log } = this.page
    this.page.isOpen = false
    for (const { key, storage } of log.entries) {
      if (storage === 'stored' && !this.#entries.has(key))
        this.#world.server.wrong.push(`${key} is called stored and is not`)
      if (storage !== 'stored') this.unstored.add(key)
    }
    for (const [key, at] of this.cancelledAt) {
      if (this.#entries.has(key) && this.#world.now - at > 5_000)
        this.#world.server.wrong.push(`${key} was undone and is stored`)
    }
    // The page ended before it could store them.
    this.cancelledAt.clear()
  }
}
