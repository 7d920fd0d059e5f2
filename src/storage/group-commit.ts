import { Refusal, unavailable } from '#core/refusal.ts'
import type { Tally } from '#core/tx.ts'

/** A connection that writes, as the group needs it. Steps of SQLite are done when they return. */
export interface Session {
  begin(): void | Promise<void>
  commit(): void | Promise<void>
  /** Also when the engine has rolled back by itself. */
  rollback(): void | Promise<void>
  /** How many changes were asked of it so far. */
  readonly changes: number
  savepoint(step: 'savepoint' | 'release' | 'rollback to', name: string): void | Promise<void>
  /** Gives the connection back; with an error it is not used again. */
  end(error?: unknown): void
}

/** What an error of an engine means for the transaction in which it came. */
export type Meaning =
  /** The transaction is as it was: the error is one statement's. */
  | 'statement'
  /** Nothing was done, and doing it all again may succeed. */
  | 'again'
  /** The transaction is lost, or its outcome unknown. */
  | 'lost'

/** A write that waits for its turn; `keep: false` takes back what it did. It may be run again. */
export interface Work<S extends Session> {
  /** `performance.now()` when it began to wait. */
  since: number
  run: (session: S) => Promise<unknown>
  keep: boolean
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/** Where a group gets its connection from, and how it understands that connection's errors. */
export interface Engine<S extends Session> {
  open(): S | Promise<S>
  meaningOf(error: unknown): Meaning
}

interface Limits {
  /** How many writes may share one commit. With 1 every write pays for its own disk flush. */
  size: number
  /** Milliseconds after which a group takes no further write, so that nobody waits long for it. */
  time: number
}

/** Whole groups are tried so often when the engine asks to try again. */
const TRIES = 4
/** More do not wait: they could not be answered before their clients give up. */
const MOST_WAITING = 10_000
/** Whoever has waited so long behind a group that failed is told with it: the next may take as long. */
const LONG_MS = 2_000

/**
 * Lets writes share commits. All that wait when a group begins run one after the other in one
 * transaction. Nobody hears of success or of refusal before the commit has reached the disk: a
 * refusal may tell of a write beside it.
 *
 * Savepoints would cost a fifth of a write (SQLite keeps a copy of each page, and writes the words of
 * each task by themselves; PostgreSQL is asked twice more), and hardly any is ever gone back to:
 * operations refuse before they change. So a group does without, and is done again with one for each
 * write when one of them fails after it has changed something.
 */
export function groupCommit<S extends Session>(
  engine: Engine<S>,
  { size, time }: Limits,
  tally: Tally = newTally(),
) {
  const waiting: Work<S>[] = []
  let working = false

  return {
    get idle() {
      return !working
    },
    get waiting() {
      return waiting.length
    },
    add(asked: Omit<Work<S>, 'since'>): void {
      const work = { ...asked, since: performance.now() }
      if (waiting.length >= MOST_WAITING) {
        work.reject(unavailable('Too many writes are waiting.'))
        return
      }
      waiting.push(work)
      if (working) return
      working = true
      setImmediate(next)
    },
  }

  async function next() {
    const group = waiting.splice(0, size)
    await commit(group)
    working = waiting.length > 0
    if (working) setImmediate(next)
  }

  async function commit(group: Work<S>[]): Promise<void> {
    let meaning: Meaning = 'again'
    let cause: unknown
    let careful = false
    const began = performance.now()
    for (let tries = 0; meaning === 'again' && tries < TRIES; ) {
      let session: S
      try {
        session = await engine.open()
      } catch (error) {
        cause = error
        break
      }
      try {
        const done = await attempt(session, group, careful)
        session.end()
        careful = true
        if (!done) continue
        waiting.unshift(...done.left)
        tally.commits += 1
        tally.writes += done.answers.length
        tally.seconds += (performance.now() - began) / 1000
        for (const answer of done.answers) answer()
        return
      } catch (error) {
        cause = error
        tries += 1
        meaning = engine.meaningOf(error)
        session.end(meaning === 'again' ? undefined : error)
      }
    }
    const late = performance.now() - LONG_MS
    // They stand in the order in which they came.
    const young = waiting.findIndex(({ since }) => since > late)
    group.push(...waiting.splice(0, young === -1 ? waiting.length : young))
    for (const { reject } of group) reject(unavailable('Storage cannot be written now.', cause))
  }

  /**
   * One transaction for the group; what does not fit into its time is left for the next. Gives
   * nothing when it was taken back, and has to be done again carefully.
   */
  async function attempt(session: S, group: Work<S>[], careful: boolean) {
    const answers: (() => void)[] = []
    try {
      await session.begin()
      const end = performance.now() + time
      for (const work of group) {
        const marked = careful || !work.keep
        const answer = marked ? await within(session, work) : await plainly(session, group, work)
        if (!answer) {
          await session.rollback()
          return undefined
        }
        answers.push(answer)
        if (performance.now() > end) break
      }
      await session.commit()
    } catch (error) {
      await taking(() => session.rollback())
      throw error
    }
    return { answers, left: group.slice(answers.length) }
  }

  /** Without a mark to go back to: gives nothing when the write failed and there is something to undo. */
  async function plainly(session: S, group: Work<S>[], work: Work<S>) {
    const { run, resolve, reject } = work
    const { changes } = session
    try {
      const value = await run(session)
      return () => resolve(value as never)
    } catch (error) {
      if (engine.meaningOf(error) !== 'statement') throw error
      const refused = error instanceof Refusal
      if (refused && error.status < 500 && session.changes === changes) return () => reject(error)
      if (refused && error.status >= 500) {
        // It may have taken seconds: the others are done again without it.
        group.splice(group.indexOf(work), 1)
        reject(error)
      }
      return undefined
    }
  }

  async function within(session: S, { run, keep, resolve, reject }: Work<S>) {
    await session.savepoint('savepoint', 'work')
    try {
      const value = await run(session)
      if (!keep) await session.savepoint('rollback to', 'work')
      await session.savepoint('release', 'work')
      return () => resolve(value as never)
    } catch (error) {
      if (engine.meaningOf(error) !== 'statement') throw error
      await session.savepoint('rollback to', 'work')
      await session.savepoint('release', 'work')
      return () => reject(error)
    }
  }
}

export const newTally = (): Tally => ({ commits: 0, writes: 0, seconds: 0 })

/** A rollback that fails adds nothing to the error that led to it: the connection is given up. */
async function taking(back: () => void | Promise<void>): Promise<void> {
  try {
    await back()
  } catch {}
}
