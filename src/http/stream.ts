import type { ServerResponse } from 'node:http'
import { type Actor, lacksSecondFactor, manages } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { Listener, Told } from '#core/ring.ts'

/** A reader that is so many bytes behind is cut off, and goes on later (reliability B3). */
const MOST_BEHIND = 1024 * 1024
/** And one about whose rights so many notices wait to be known. */
const MOST_WAITING = 10_000

/** The projects that a person sees; null: all of them. */
export type Sight = ReadonlySet<string> | null

/** What a stream needs of the house. */
export interface Means {
  /** Who asks now; a refusal where nobody does any more. */
  authenticate: () => Actor | Promise<Actor>
  sightOf: (actor: Actor) => Promise<Sight>
}

/**
 * The notices of a workspace on their way to one reader: those that the person may know of. Who the
 * person is, and what it sees, is looked at again whenever it may have changed; then it is told to
 * read everything anew, for what it knows may be more than it should, or less.
 */
export class Stream implements Listener {
  actor: Actor
  onSent: (notices: number) => void = () => {}
  onClose: (why?: 'lag') => void = () => {}
  readonly #raw: ServerResponse
  readonly #means: Means
  readonly #waiting: Told[] = []
  #sight: Sight | undefined
  #isStale = true
  #isBusy = false
  #isLooking = false
  #newest = ''

  constructor(raw: ServerResponse, actor: Actor, means: Means) {
    this.#raw = raw
    this.actor = actor
    this.#means = means
    raw.once('close', () => this.onClose())
    // A reader that is gone is no fault of anybody's.
    raw.on('error', () => {})
  }

  /** Begins: after a notice that the reader knows, with what it has missed since, or all anew. */
  begin(id: string, missed: readonly Told[] | undefined): void {
    this.#newest = id
    if (missed === undefined || missed.some((told) => this.#shifts(told))) this.reset(id)
    else {
      // A block without data is no event, but the reader keeps its id.
      this.#write(`retry: ${retryMs()}\n${missed.length > 0 ? '' : `id: ${id}\n`}\n`)
      this.told(missed)
    }
  }

  told(notices: readonly Told[]): void {
    this.#waiting.push(...notices)
    if (notices.some((told) => this.#concernsSight(told))) this.#isStale = true
    if (this.#waiting.length > MOST_WAITING) this.#cut()
    else if (this.#isStale || this.#isBusy) this.#deliver()
    else this.#flush()
  }

  reset(id: string): void {
    this.#newest = id
    this.#isStale = true
    this.#waiting.length = 0
    this.#tellReset()
  }

  beat(): void {
    this.#write('event: heartbeat\ndata: {}\n\n')
  }

  /** Ends, and lets the reader come back in a moment. */
  end(): void {
    this.#raw.end(`retry: ${retryMs()}\n\n`)
  }

  /** Asks again who this is; ends when it is nobody any more, or somewhere else. */
  async look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const actor = await this.#means.authenticate()
      const isElsewhere = actor.workspace_id !== this.actor.workspace_id
      if (isElsewhere || actor.workspace_deleted_at || lacksSecondFactor(actor)) this.#raw.end()
      else if (actor !== this.actor) {
        this.actor = actor
        this.#isStale = true
        await this.#deliver()
      }
    } catch (error) {
      // What cannot be asked now is asked again.
      if (error instanceof Refusal && error.status < 500) this.#raw.end()
    } finally {
      this.#isLooking = false
    }
  }

  /** Notices wait until it is known what the person sees. */
  async #deliver(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      while (this.#isStale) {
        this.#isStale = false
        const before = this.#sight
        this.#sight = await this.#means.sightOf(this.actor)
        if (before !== undefined && this.#differs(before)) this.#tellReset()
      }
      this.#flush()
    } catch {
      // Without knowing what may be told there is nothing to tell: the reader comes back.
      this.#raw.destroy()
    } finally {
      this.#isBusy = false
    }
  }

  /** Whether the person sees other projects than before, apart from those that were just made. */
  #differs(before: Sight): boolean {
    const after = this.#sight ?? null
    if (before === null || after === null) return before !== after
    const known = new Set(before)
    for (const { notice } of this.#waiting) {
      if (notice.noun === 'project' && notice.op === 'create') known.add(notice.id)
    }
    return !before.isSubsetOf(after) || !after.isSubsetOf(known)
  }

  #concernsSight({ notice: { noun, id } }: Told): boolean {
    if (noun === 'project') return !manages(this.actor)
    return (noun === 'person' || noun === 'member') && id === this.actor.user_id
  }

  /** Whether the person may see other projects since then, apart from one that was just made. */
  #shifts(told: Told): boolean {
    const { noun, op } = told.notice
    return this.#concernsSight(told) && !(noun === 'project' && op === 'create')
  }

  #tellReset(): void {
    this.#write(`event: reset\nid: ${this.#newest}\ndata: {}\n\n`)
  }

  #flush(): void {
    const audible = this.#waiting.filter((told) => this.#isAudible(told))
    this.#newest = this.#waiting.at(-1)?.id ?? this.#newest
    this.#waiting.length = 0
    if (audible.length === 0) return
    this.onSent(audible.length)
    this.#write(
      audible.map(({ id, text }) => `event: notice\nid: ${id}\ndata: ${text}\n\n`).join(''),
    )
  }

  #isAudible({ notice: { project_id, noun }, only_for }: Told): boolean {
    const isForOthers = only_for !== undefined && only_for !== this.actor.user_id
    // What a person is told is nobody else's, whatever they manage.
    if (isForOthers && (noun === 'notification' || !manages(this.actor))) return false
    return project_id === undefined || this.#sight === null || this.#sight?.has(project_id) === true
  }

  #write(text: string): void {
    if (this.#raw.destroyed || this.#raw.writableEnded) return
    if (this.#raw.writableLength > MOST_BEHIND) this.#cut()
    else this.#raw.write(text)
  }

  #cut(): void {
    this.onClose('lag')
    this.onClose = () => {}
    this.#raw.destroy()
  }
}

/** Not all come back at the same moment. */
const retryMs = (): number => 1_000 + Math.floor(Math.random() * 2_000)
