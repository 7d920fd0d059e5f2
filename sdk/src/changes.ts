import type { Docket } from './docket.ts'
import { isDocketError } from './errors.ts'
import { listChanges } from './operations.ts'
import type { Change, ChangePage, ChangeType } from './types.ts'

/** The part of a workspace to follow. A position belongs to the selection that it was read with. */
export interface ChangeSelection {
  /** Only this project and the records in it. */
  project_id?: string | undefined
  /** Only records of these types. Default: all whose `:read` scope the token has. */
  types?: readonly ChangeType[] | undefined
}

/** Where to begin, and what to follow. */
export interface FollowChangesOptions extends ChangeSelection {
  /**
   * The `position` of the last page that you have applied. Default: from the beginning, so that all
   * records come first. `now`: only what changes from now on.
   */
  after?: string | undefined
  /** Ends the iteration by throwing its reason. */
  signal?: AbortSignal | undefined
}

/** The most changes of a page; fewer requests count less against the limit. */
const MAX_PAGE_SIZE = 500
const WAIT_SECONDS = 30

/**
 * Reads changes page by page without end: first everything after `after`, then whatever changes. Once the
 * copy is exact, a page arrives with each change, and an empty one every 30 seconds without any.
 *
 * It asks with `wait` rather than open a stream: each page has its position, so that both can be stored at
 * once, and token, limit and retries are those of all requests. `position_expired` is thrown like any
 * other error: your copy has to begin again without `after`.
 */
export async function* followChanges(
  docket: Docket,
  { after, signal, ...selection }: FollowChangesOptions = {},
): AsyncGenerator<ChangePage, never, undefined> {
  let position = after
  let isExact = false
  for (;;) {
    const page = await listChanges(
      docket,
      {
        ...selection,
        after: position,
        limit: MAX_PAGE_SIZE,
        // A first page that waits would keep a caller from knowing that nothing has changed.
        wait: isExact ? WAIT_SECONDS : undefined,
      },
      {
        // Once it has caught up, it outlasts a server that is away. Before that an error is worth more.
        ...(isExact && { maxRetries: Number.POSITIVE_INFINITY }),
        ...(signal && { signal }),
      },
    )
    yield page
    position = page.position
    isExact = !page.has_more
  }
}

/** A page of changes as a store applies it: all of it with its position, or nothing. */
export interface MirrorPage extends ChangePage {
  /** Whether this is the first page of all records: none that the mirror had before is to remain. */
  is_first: boolean
}

/**
 * Where a mirror is kept. It is exact after each page without `has_more`; between two of them it may lack
 * records, which readers should not see.
 */
export interface MirrorStore {
  /** The position of the last page that was applied; undefined without one. A mirror reads it first. */
  readPosition(): string | undefined | Promise<string | undefined>
  /** Stores a page and its position so that a crash leaves both or neither. */
  apply(page: MirrorPage): void | Promise<void>
}

type MirrorOptions = Pick<FollowChangesOptions, 'signal'>

/** An exact copy of what a token may read. One program at a time may update a store. */
export class Mirror {
  readonly #docket: Docket
  readonly #store: MirrorStore
  readonly #selection: ChangeSelection

  /** A store belongs to one person, one set of scopes and one selection: with others it is refused as `invalid_cursor`. */
  constructor(docket: Docket, store: MirrorStore, selection: ChangeSelection = {}) {
    this.#docket = docket
    this.#store = store
    this.#selection = selection
  }

  /** Brings the mirror up to date. */
  async sync(options: MirrorOptions = {}): Promise<void> {
    for await (const { has_more } of this.follow(options)) if (!has_more) return
  }

  /**
   * Brings the mirror up to date and keeps it so, without end: `for await` runs it, and gets each page once
   * it is stored. If the position has expired, the mirror begins again by itself.
   */
  async *follow({ signal }: MirrorOptions = {}): AsyncGenerator<MirrorPage, never, undefined> {
    let position = await this.#store.readPosition()
    for (;;) {
      // A run that was ended may have left pages that an empty one makes exact.
      let isExact = false
      try {
        const options = { ...this.#selection, after: position, signal }
        for await (const changes of followChanges(this.#docket, options)) {
          const page: MirrorPage = { ...changes, is_first: position === undefined }
          if (!isExact || page.position !== position) await this.#store.apply(page)
          position = page.position
          isExact = !page.has_more
          yield page
        }
      } catch (error) {
        if (position === undefined || !isDocketError(error, 'position_expired')) throw error
        position = undefined
      }
    }
  }
}

type PutChange = Extract<Change, { op: 'put' }>

/** The type of the records of a type of change. */
export type MirroredRecord<Type extends ChangeType> = Extract<PutChange, { type: Type }>['record']

const keyOf = (type: string, id: string) => `${type} ${id}`

/** Applies a change to the newest `put` of each record. */
function applyChange(puts: Map<string, PutChange>, change: Change): void {
  const { op, type, id } = change
  const key = keyOf(type, id)
  if (change.op === 'put') {
    puts.set(key, change)
    return
  }
  puts.delete(key)
  if (op === 'delete' && type !== 'task') return
  for (const [held, { project_id, record }] of puts)
    if (op === 'reset' ? project_id === id : 'task_id' in record && record.task_id === id)
      puts.delete(held)
}

/** Keeps a mirror in memory. What it returns has always been exact at one moment. */
export class MemoryStore implements MirrorStore {
  #puts = new Map<string, PutChange>()
  /** While pages are missing, so that readers see none of them. */
  #unfinished: Map<string, PutChange> | undefined
  #position: string | undefined

  readPosition(): string | undefined {
    return this.#position
  }

  apply({ data, position, has_more, is_first }: MirrorPage): void | Promise<void> {
    if (is_first) this.#unfinished = new Map()
    else if (has_more) this.#unfinished ??= new Map(this.#puts)
    const puts = this.#unfinished ?? this.#puts
    for (const change of data) applyChange(puts, change)
    this.#position = position
    if (has_more) return
    this.#puts = puts
    this.#unfinished = undefined
  }

  /** The record with this id; undefined if there is none. */
  get<Type extends ChangeType>(type: Type, id: string): MirroredRecord<Type> | undefined
  get(type: string, id: string): object | undefined {
    return this.#puts.get(keyOf(type, id))?.record
  }

  /** All records of a type, in no particular order. */
  list<Type extends ChangeType>(type: Type): MirroredRecord<Type>[]
  list(type: string): object[] {
    return this.changes().flatMap((put) => (put.type === type ? [put.record] : []))
  }

  /** All records, as the changes that make this mirror from an empty one. */
  changes(): PutChange[] {
    return [...this.#puts.values()]
  }
}
