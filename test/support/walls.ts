import pg from 'pg'
import type { Args, Command, Query } from '#core/tx.ts'
import { migrateStore } from '#storage/open.ts'
import { HOLD_WORKSPACE } from '#storage/postgres-session.ts'
import { Slot } from '#storage/statement.ts'
import { Transaction } from '#storage/transaction.ts'
import { attnumsOf, keyOf } from './distribution.ts'

/** A role of PostgreSQL that sees of what is spread by workspace only the rows of one. */
const WALLED = 'docket_walled'
/** Says of which workspace; `*` of all, and nothing of none. */
const SETTING = 'docket.workspace_id'

/**
 * Puts a wall around each workspace of a database that has Docket's tables, or gets them now: the
 * address at which it is seen from behind them. Docket does not rely on walls; but a statement that
 * needs rows of a workspace which it does not bind finds none there, and cannot write one.
 */
export async function walled(url: string): Promise<string> {
  await migrateStore({ dataDir: '', databaseUrl: url })
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`do 'begin create role ${WALLED} login password ''walls'';
    exception when duplicate_object then null; end'`)
  await admin.query(`grant all on schema public to ${WALLED};
    grant all on all tables in schema public to ${WALLED}`)
  const seen = `current_setting('${SETTING}', true)`
  for (const table of (await attnumsOf(admin)).keys()) {
    await admin.query(`alter table ${table} enable row level security;
      create policy wall on ${table}
        using (${keyOf(table)} = ${seen} or ${seen} = '*')`)
  }
  await admin.end()
  const address = new URL(url)
  address.username = WALLED
  address.password = 'walls'
  return address.href
}

/** Where in the values of a statement its workspace is; undefined: it is of all. */
const places = new Map<string, number | undefined>([[HOLD_WORKSPACE, 0]])

/** The workspace that a connection is shown; unknown after `rollback` and the like, which may have changed it. */
const shownTo = new WeakMap<pg.Client, unknown>()

/**
 * From now on whatever this process asks from behind a wall is preceded by the workspace that the
 * statement itself binds. What is no statement of the storage sees no workspace at all.
 */
export function heedWalls(): void {
  const { one, all, run, each } = Transaction.prototype
  Object.assign(Transaction.prototype, {
    one: noting(one),
    all: noting(all),
    run: noting(run),
    each: noting(each),
  })
  const { query } = pg.Client.prototype
  Object.defineProperty(pg.Client.prototype, 'query', {
    value(this: pg.Client, ...given: unknown[]) {
      const [asked] = given
      if (this.user === WALLED) {
        const workspace = isStatement(asked) ? seenBy(asked) : undefined
        if (workspace !== undefined && workspace !== shownTo.get(this)) {
          const text = `select set_config('${SETTING}', $1, false)`
          // In a transaction that has failed this is refused, as the statement after it is: its caller gets the error.
          const config = { name: 'wall', text, values: [workspace] }
          Reflect.apply(query, this, [config]).catch(() => {})
        }
        shownTo.set(this, workspace)
      }
      return Reflect.apply(query, this, given)
    },
  })
}

function noting<T extends (statement: never, args: never) => unknown>(method: T) {
  return function (
    this: Transaction,
    statement: Query<unknown, unknown> | Command<unknown, unknown>,
    args: Args<unknown>,
  ) {
    const { sql, values } = statement.text('postgres')
    const at = values.findIndex((value) => value instanceof Slot && value.name === 'workspace_id')
    places.set(sql, at < 0 ? undefined : at)
    return Reflect.apply(method, this, [statement, args])
  }
}

interface Statement {
  text: string
  values: unknown[]
}

const isStatement = (asked: unknown): asked is Statement =>
  typeof asked === 'object' && asked !== null && 'text' in asked && 'values' in asked

function seenBy({ text, values }: Statement): unknown {
  if (!places.has(text)) return ''
  const at = places.get(text)
  return at === undefined ? '*' : values[at]
}
