import { unavailable } from '#core/refusal.ts'

/** A connection that writes, as the group needs it. Steps of SQLite are done when they return. */
export interface Session {
  begin(): void | Promise<void>
  commit(): void | Promise<void>
  /** Also when the engine has rolled back by itself. */
  rollback(): void | Promise<void>
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

/** A write that waits for its turn; `keep: false` takes back what it did. */
export interface Work<S extends Session> {
  run: (session: S) => Promise<{ value: unknown; keep: boolean }>
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

/**
 * Lets writes share commits. All that wait when a group begins run one after the other in one
 * transaction, each within a savepoint that a refusal takes back. Nobody hears of success or of
 * refusal before the commit has reached the disk: a refusal may tell of a write beside it.
 */
export function groupCommit<S extends Session>(engine: Engine<S>, { size, time }: Limits) {
  const waiting: Work<S>[] = []
  let working = false

  return {
    get idle() {
      return !working
    },
    add(work: Work<S>): void {
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
    for (let tries = 0; meaning === 'again' && tries < TRIES; tries++) {
      let session: S
      try {
        session = await engine.open()
      } catch (error) {
        cause = error
        break
      }
      try {
        const { answers, left } = await attempt(session, group)
        session.end()
        waiting.unshift(...left)
        for (const answer of answers) answer()
        return
      } catch (error) {
        cause = error
        meaning = engine.meaningOf(error)
        session.end(meaning === 'again' ? undefined : error)
      }
    }
    for (const { reject } of group) reject(unavailable('Storage cannot be written now.', cause))
  }

  /** One transaction for the group; what does not fit into its time is left for the next. */
  async function attempt(session: S, group: Work<S>[]) {
    const answers: (() => void)[] = []
    try {
      await session.begin()
      const end = performance.now() + time
      for (const work of group) {
        answers.push(await within(session, work))
        if (performance.now() > end) break
      }
      await session.commit()
    } catch (error) {
      await taking(() => session.rollback())
      throw error
    }
    return { answers, left: group.slice(answers.length) }
  }

  async function within(session: S, { run, resolve, reject }: Work<S>) {
    await session.savepoint('savepoint', 'work')
    try {
      const { value, keep } = await run(session)
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

/** A rollback that fails adds nothing to the error that led to it: the connection is given up. */
async function taking(back: () => void | Promise<void>): Promise<void> {
  try {
    await back()
  } catch {}
}
