import { ApiError, serviceUnavailable } from '#core/api-error.ts'
import type { CommitStats } from '#core/transaction.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { pendingTurn } from '#lib/turns.ts'

/**
 * Runs work that may await nothing but its transaction: nothing else may come between the statements
 * of a write on SQLite, and a read that waits meanwhile sees several states. Rejects if
 * the work is still pending when the turn of the event loop ends, unless it has given way to others
 * (`giveWay`): then it looks again after that turn. The check costs time, so only tests enable it.
 */
export function guardAwaits<T>(work: () => MaybePromise<T>): MaybePromise<T> {
  const result = work()
  if (!(result instanceof Promise)) return result
  return new Promise((resolve, reject) => {
    const check = () => {
      const turn = pendingTurn()
      if (turn) turn.then(() => process.nextTick(check))
      else reject(new Error('Work awaited something other than its transaction'))
    }
    result.then(resolve, reject)
    // From a microtask, so that process.nextTick runs only after all microtasks.
    queueMicrotask(() => process.nextTick(check))
  })
}

/** A connection that writes, as the group needs it. SQLite's steps are synchronous. */
export interface WriteSession {
  begin(): void | Promise<void>
  commit(): void | Promise<void>
  /** May be called after the engine has rolled back by itself. */
  rollback(): void | Promise<void>
  /** How many changing statements it was given so far. */
  readonly changes: number
  savepoint(step: 'savepoint' | 'release' | 'rollback to', name: string): void | Promise<void>
  /** Releases the connection; after an error it is not used again. */
  end(error?: unknown): void
}

/** What an error of an engine means for the transaction in which it came. */
export type EngineErrorKind =
  /** The transaction is as it was: the error is one statement's. */
  | 'statement'
  /** Nothing was changed, and a retry of the transaction may succeed. */
  | 'again'
  /** The transaction is lost, or its outcome unknown. */
  | 'lost'

/** A write that waits for its turn. `keep: false` rolls it back. It may run more than once. */
interface QueuedWrite<EngineSession extends WriteSession> {
  /** `performance.now()` when it began to wait. */
  queuedAt: number
  /** The workspace that it writes to. */
  owner: string
  run: (session: EngineSession) => Promise<unknown>
  keep: boolean
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/** How a group gets its connection and classifies the connection's errors. */
export interface CommitEngine<EngineSession extends WriteSession> {
  open(): EngineSession | Promise<EngineSession>
  classifyError(error: unknown): EngineErrorKind
}

interface GroupLimits {
  /** How many writes may share one commit. With 1 every write pays for its own disk flush. */
  size: number
  /** Milliseconds after which a group takes no further write, which bounds the waiting time. */
  time: number
}

/** How often a whole group is tried when the engine's error asks for a retry. */
const MAX_TRIES = 4
/** Further writes are rejected: they could not finish before their clients give up. */
const MAX_WAITING = 10_000
/** Writes that waited this long behind a failed group fail with it: the next may take as long. */
const MAX_WAIT_MS = 2_000
/** Workspaces that are remembered for refusals after a change. */
const MAX_LATE_REFUSERS = 1_000

/**
 * Lets writes share commits. All writes that wait when a group begins run one after the other in one
 * transaction. Neither success nor refusal is reported before the commit has reached the disk: a
 * refusal may reveal another write of the group.
 *
 * Savepoints would cost a fifth of a write (SQLite keeps a copy of each page and writes the search
 * words of each task separately; PostgreSQL needs two more round trips), and hardly any is ever rolled
 * back to: operations refuse before they change anything. So a group runs without savepoints, and is
 * run again with one for each write if a write fails after a change. The next writes of that workspace,
 * which may be full, have a savepoint at once, so that no other pays for their refusals again.
 *
 * A group begins one turn of the event loop later than it could, and takes the writes that arrive in that
 * turn along. Of 16 clients, 12 then share a commit instead of 8: those that were just answered would
 * otherwise come too late for the next group, and miss each second one.
 *
 * `onAnswerError` receives what a `resolve` or `reject` throws, such as an error of who listens to commits.
 */
export function createGroupCommit<EngineSession extends WriteSession>(
  engine: CommitEngine<EngineSession>,
  { size, time }: GroupLimits,
  tally: CommitStats = createCommitStats(),
  onAnswerError: (error: unknown) => void = () => {},
) {
  const waiting: QueuedWrite<EngineSession>[] = []
  /** Workspaces whose latest write was refused after a change. */
  const lateRefusers = new Set<string>()
  let isWorking = false

  return {
    get idle() {
      return !isWorking
    },
    get waiting() {
      return waiting.length
    },
    add(write: Omit<QueuedWrite<EngineSession>, 'queuedAt'>): void {
      const work: QueuedWrite<EngineSession> = { ...write, queuedAt: performance.now() }
      if (waiting.length >= MAX_WAITING) {
        work.reject(serviceUnavailable('Too many writes are waiting.'))
        return
      }
      waiting.push(work)
      if (isWorking) return
      isWorking = true
      beginSoon()
    },
  }

  function beginSoon() {
    setImmediate(() => setImmediate(next))
  }

  async function next() {
    const group = waiting.splice(0, size)
    await commit(group)
    isWorking = waiting.length > 0
    if (isWorking) beginSoon()
  }

  async function commit(group: QueuedWrite<EngineSession>[]): Promise<void> {
    let meaning: EngineErrorKind = 'again'
    let cause: unknown
    let withSavepoints = false
    let answers: (() => void)[] | undefined
    const began = performance.now()
    for (let tries = 0; meaning === 'again' && tries < MAX_TRIES; ) {
      let session: EngineSession
      try {
        session = await engine.open()
      } catch (error) {
        cause = error
        break
      }
      try {
        const done = await attempt(session, group, withSavepoints)
        session.end()
        withSavepoints = true
        if (!done) continue
        waiting.unshift(...done.left)
        tally.commits += 1
        tally.writes += done.answers.length
        tally.seconds += (performance.now() - began) / 1000
        answers = done.answers
        break
      } catch (error) {
        cause = error
        tries += 1
        meaning = engine.classifyError(error)
        session.end(meaning === 'again' ? undefined : error)
      }
    }
    for (const answer of answers ?? []) {
      try {
        answer()
      } catch (error) {
        // The writes are committed all the same, and the others must hear of it.
        onAnswerError(error)
      }
    }
    if (answers) return
    const deadline = performance.now() - MAX_WAIT_MS
    // The waiting writes are in the order of their arrival.
    const firstRecent = waiting.findIndex(({ queuedAt }) => queuedAt > deadline)
    group.push(...waiting.splice(0, firstRecent === -1 ? waiting.length : firstRecent))
    for (const { reject } of group)
      reject(serviceUnavailable('Storage cannot be written now.', cause))
  }

  /**
   * Runs one transaction for the group; writes that exceed its time are left for the next. Returns
   * undefined if it was rolled back and has to run again with savepoints.
   */
  async function attempt(
    session: EngineSession,
    group: QueuedWrite<EngineSession>[],
    withSavepoints: boolean,
  ) {
    const answers: (() => void)[] = []
    try {
      await session.begin()
      const end = performance.now() + time
      for (const work of group) {
        const needsSavepoint = withSavepoints || !work.keep || lateRefusers.has(work.owner)
        const answer = needsSavepoint
          ? await runInSavepoint(session, work)
          : await runWithoutSavepoint(session, group, work)
        if (!answer) {
          await session.rollback()
          return undefined
        }
        answers.push(answer)
        if (performance.now() > end) break
      }
      await session.commit()
    } catch (error) {
      await ignoreErrors(() => session.rollback())
      throw error
    }
    return { answers, left: group.slice(answers.length) }
  }

  /** Runs a write without a savepoint; returns undefined if it failed and left changes to undo. */
  async function runWithoutSavepoint(
    session: EngineSession,
    group: QueuedWrite<EngineSession>[],
    work: QueuedWrite<EngineSession>,
  ) {
    const { run, resolve, reject } = work
    const { changes } = session
    try {
      const value = await run(session)
      return () => resolve(value as never)
    } catch (error) {
      if (engine.classifyError(error) !== 'statement') throw error
      const refused = error instanceof ApiError
      if (refused && error.status < 500 && session.changes === changes) return () => reject(error)
      if (refused && error.status >= 500) {
        // It may have taken seconds, so the others run again without it.
        group.splice(group.indexOf(work), 1)
        reject(error)
      }
      if (lateRefusers.size >= MAX_LATE_REFUSERS) lateRefusers.clear()
      lateRefusers.add(work.owner)
      return undefined
    }
  }

  async function runInSavepoint(
    session: EngineSession,
    { run, keep, owner, resolve, reject }: QueuedWrite<EngineSession>,
  ) {
    await session.savepoint('savepoint', 'work')
    try {
      const value = await run(session)
      if (keep) lateRefusers.delete(owner)
      if (!keep) await session.savepoint('rollback to', 'work')
      await session.savepoint('release', 'work')
      return () => resolve(value as never)
    } catch (error) {
      if (engine.classifyError(error) !== 'statement') throw error
      await session.savepoint('rollback to', 'work')
      await session.savepoint('release', 'work')
      return () => reject(error)
    }
  }
}

export const createCommitStats = (): CommitStats => ({ commits: 0, writes: 0, seconds: 0 })

/** Ignores a failed rollback: the error before it is reported and the connection is closed. */
async function ignoreErrors(back: () => void | Promise<void>): Promise<void> {
  try {
    await back()
  } catch {}
}
