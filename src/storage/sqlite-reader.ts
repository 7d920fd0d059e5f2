import { Notices } from '#core/notices.ts'
import type { Storage } from '#core/tx.ts'
import { createClock } from '#lib/clock.ts'
import { newTally } from './group-commit.ts'
import { connection, inSnapshot, openForReading, told } from './sqlite-connection.ts'
import { sqliteThread } from './sqlite-thread.ts'
import { type Surroundings, Transaction } from './transaction.ts'

/** What a process that only reads asks of the one that writes. */
export interface Writer {
  /** The newest notice of a workspace. */
  newest(workspace_id: string): Promise<string>
  /** Whether it can write. */
  ready(): Promise<boolean>
}

/** A reader who goes on from it is told to read everything again. */
const UNKNOWN = 'unknown.0'

/**
 * The database of a process beside the one that writes. A statement sees whatever was committed before
 * it began, by whichever process, so that nothing that was acknowledged is missed here. Several
 * statements of a read may see different states, as on PostgreSQL: a loader is one statement.
 */
export function openSqliteReader(
  path: string,
  surroundings: Surroundings,
  { newest, ready }: Writer,
): Storage {
  const db = openForReading(path)
  const reader = connection(db)
  const far = sqliteThread(path)
  const tally = { ...newTally(), waiting: 0 }
  // Without the other there is nobody to be told by either: who comes back to it reads anew.
  const notices = { newest: (id: string) => newest(id).catch(() => UNKNOWN) }
  const { clock = createClock() } = surroundings
  const shared = { ...surroundings, clock, notices }
  const read: Storage['read'] = async (actor, work) =>
    work(new Transaction(reader, actor, shared)).catch(told)
  const refused = () => Promise.reject(new Error('This process only reads'))
  return {
    engine: 'sqlite',
    clock,
    notices: new Notices(),
    read,
    readFar: read,
    readLong: (actor, work) => far.work((on) => work(new Transaction(on, actor, shared))),
    snapshot: (actor, work) => inSnapshot(path, (on) => work(new Transaction(on, actor, shared))),
    write: refused,
    rehearse: refused,
    onCommit() {},
    async ready() {
      db.prepare('select 1 from installation limit 1').get()
      return ready()
    },
    vitals: () => tally,
    async close() {
      await far.close()
      db.close()
    },
  }
}
