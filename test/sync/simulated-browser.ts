import { createTaskRecord } from '#test/support/data/task-record.ts'
import type { StoredMutation } from '../../web/src/data/mutations/stored-mutation.ts'
import type { EngineLoader } from './engine-bundle.ts'
import { toMutationKey } from './intentions.ts'
import { SimulatedDatabase } from './simulated-database.ts'
import { SimulatedPage } from './simulated-page.ts'
import { PROJECT } from './simulated-tasks.ts'
import type { SimulatedWorld } from './simulated-world.ts'

/** When the next page is open. Writes that were under way have ended by then. */
export const REOPEN_MS = 50

const MAX_SLEEP_MS = 30 * 60 * 60 * 1000

/** A browser of one person: a page that crashes and is opened again, and its storage. */
export class SimulatedBrowser {
  readonly person: number
  readonly loadEngine: EngineLoader
  readonly database: SimulatedDatabase
  readonly localStorage = createLocalStorage()
  isOnline = true
  /** How far its clock is wrong, in ms. */
  clockError = 0
  /** Whether it was never wrong. */
  hasRightClock = true
  page: SimulatedPage
  /** What messages have told the person of what has failed, and when. */
  readonly messages: { at: number; text: string }[] = []
  /** Keys of changes that the person has dropped for somebody else's. */
  readonly dropped = new Set<string>()
  /** Keys of mutations that the person knew not to be stored when the page crashed. */
  readonly unstored = new Set<string>()
  /** When mutations were undone before they were sent. */
  readonly cancelledAt = new Map<string, number>()
  /** The texts that the person has chosen in a conflict. */
  readonly chosenTexts = new Map<string, string | undefined>()
  /** Those of them that were stored. */
  readonly storedTexts = new Map<string, string | undefined>()
  /** All values of fields that the person has seen, as JSON. */
  readonly seen = new Set<string>()
  /** Those that the person has given them. */
  readonly own = new Set<string>()
  readonly #world: SimulatedWorld
  /** The locks that pages hold. */
  readonly #locks: { name: string; page: { readonly isOpen: boolean } }[] = []

  constructor(world: SimulatedWorld, person: number, loadEngine: EngineLoader) {
    this.#world = world
    this.person = person
    this.loadEngine = loadEngine
    this.database = new SimulatedDatabase(world, ({ key, payload }) => {
      if ('mergeBase' in payload && world.chance(0.5)) this.crashSoon()
      const chosen = this.chosenTexts.get(key)
      if (chosen === undefined || payload.kind !== 'change') return
      if (payload.change.patch.title !== chosen) return
      this.storedTexts.set(key, chosen)
      if (world.chance(0.8)) this.crashSoon()
    })
    this.page = new SimulatedPage(this, world)
    world.server.listeners.push(() => this.#follow())
  }

  get now(): number {
    return this.#world.now + this.clockError
  }

  /** `navigator.locks` of a page. */
  createLocks(page: { readonly isOpen: boolean }) {
    return {
      request: async (name: string, hold: () => Promise<unknown>) => {
        this.#locks.push({ name, page })
        await hold()
      },
      query: async () => ({
        held: this.#locks.filter((lock) => lock.page.isOpen).map(({ name }) => ({ name })),
      }),
    }
  }

  /** The person creates a task, for which a placeholder stands at first. */
  createTask(title: string): void {
    const { body, placeholder } = this.#createPlaceholder(title)
    this.page.engine.addTaskWithPlaceholder(body, placeholder)
  }

  /** The person pastes several lines. */
  createTasks(titles: readonly string[]): void {
    this.page.engine.addTasksInBulk(titles.map((title) => this.#createPlaceholder(title)))
  }

  #createPlaceholder(title: string) {
    const serial = this.#world.nextSerial()
    const body = { project_id: PROJECT.id, title }
    const placeholder = createTaskRecord({
      ...body,
      id: `NEW-${serial}`,
      short_id: `NEW-${serial}`,
      number: -serial,
      version: 0,
      description: null,
      created_by_id: `usr_${this.person}`,
    })
    return { body, placeholder }
  }

  goOnline(isOnline: boolean): void {
    this.isOnline = isOnline
    if (isOnline) this.page.dispatch('online')
  }

  /** The computer is closed after a while, mostly for a night. */
  async sleepAfter(ms: number): Promise<void> {
    await this.#world.pass(ms)
    this.goOnline(false)
    await this.#world.pass(this.#world.random() * MAX_SLEEP_MS)
    this.goOnline(true)
  }

  /** The page ends at once, and another is opened. */
  async crash(): Promise<void> {
    this.#endPage()
    await this.#reopen()
  }

  /** The person reloads the page, which may still leave something to the next one. */
  async reload(): Promise<void> {
    const drafted = this.page.engine.mutationQueue.get()
    this.page.dispatch('pagehide')
    this.#endPage()
    // A file is no draft.
    for (const { key, payload } of drafted) if (payload.kind !== 'upload') this.unstored.delete(key)
    await this.#reopen()
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

  async #reopen(): Promise<void> {
    await this.#world.pass(REOPEN_MS)
    this.page = new SimulatedPage(this, this.#world)
  }

  /** A later page has to send the same under this key, so it must be stored unless the person knows. */
  checkStored(idempotencyKey: string, text: string): void {
    const key = toMutationKey(idempotencyKey)
    const sent = this.page.engine.mutationQueue.get().find((one) => one.key === key)
    if (!sent || sent.storage === 'failed') return
    const stored = this.database.entries.get(key)
    const bodies = stored && getRequestBodies(stored.payload)
    if (!stored || bodies?.every((body) => JSON.stringify(body) !== text))
      this.#world.server.wrong.push(`${idempotencyKey} sends ${text}, which is not stored`)
  }

  /**
   * Tells the page of a write, in no certain order. In most worlds a page learns of others' writes only
   * by what it reads itself until the faults end: the older its tasks are, the more conflicts there are.
   */
  #follow(): void {
    const { page } = this
    if (this.#world.isCalm || this.#world.isStreaming)
      this.#world.after(this.#world.random() * 2_000, () => page.isOpen && page.catchUp())
  }

  #endPage(): void {
    const { wrong } = this.#world.server
    for (const { key, storage } of this.page.engine.mutationQueue.get()) {
      if (storage === 'stored' && !this.database.entries.has(key))
        wrong.push(`${key} is called stored and is not`)
      if (storage !== 'stored') this.unstored.add(key)
    }
    for (const [key, at] of this.cancelledAt) {
      if (this.database.entries.has(key) && this.#world.now - at > 5_000)
        wrong.push(`${key} was undone and is stored`)
    }
    // The page ended before it could store them.
    this.cancelledAt.clear()
    this.page.isOpen = false
  }
}

/** What a mutation may send, if the bodies of its requests are stored. */
function getRequestBodies(payload: StoredMutation): object[] | undefined {
  if (payload.kind === 'bulk')
    return payload.sent.map((operations) => ({ operations, atomic: false }))
  return payload.kind === 'change' && payload.change.kind === 'patch'
    ? [payload.change.patch]
    : undefined
}

/** Its keys are its own properties, as in a browser. */
function createLocalStorage() {
  const storage: Record<string, string> = Object.create({
    getItem: (key: string): string | null => storage[key] ?? null,
    setItem: (key: string, text: string) => {
      storage[key] = text
    },
    removeItem: (key: string) => {
      delete storage[key]
    },
  })
  return storage
}
