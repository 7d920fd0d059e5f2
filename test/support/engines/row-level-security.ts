import pg from 'pg'
import type { Query, StatementParams, WriteCommand } from '#core/transaction.ts'
import { Slot } from '#db/core/statement.ts'
import { Transaction } from '#db/core/transaction.ts'
import { migrateStore } from '#db/installation/open-store.ts'
import { LOCK_WORKSPACE_SQL } from '#db/postgres/session.ts'
import { distributionColumnOf, readDistributionAttnums } from './table-distribution.ts'

/** A PostgreSQL role that sees only one workspace's rows in the distributed tables. */
const RESTRICTED_ROLE = 'docket_walled'
/** Selects the workspace: an id, `*` for all, or empty for none. */
const SETTING = 'docket.workspace_id'

/**
 * Enables row-level security per workspace on a database, which is migrated first if needed, and
 * returns the URL that is subject to it. Docket itself does not rely on it: in tests, a statement
 * that needs rows of a workspace which it does not bind finds none and cannot write any.
 */
export async function enableRowLevelSecurity(url: string): Promise<string> {
  await migrateStore({ dataDir: '', databaseUrl: url })
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`do 'begin create role ${RESTRICTED_ROLE} login password ''walls'';
    exception when duplicate_object then null; end'`)
  await admin.query(`grant all on schema public to ${RESTRICTED_ROLE};
    grant all on all tables in schema public to ${RESTRICTED_ROLE}`)
  const seen = `current_setting('${SETTING}', true)`
  for (const table of (await readDistributionAttnums(admin)).keys()) {
    await admin.query(`alter table ${table} enable row level security;
      create policy wall on ${table}
        using (${distributionColumnOf(table)} = ${seen} or ${seen} = '*')`)
  }
  await admin.end()
  const address = new URL(url)
  address.username = RESTRICTED_ROLE
  address.password = 'walls'
  return address.href
}

/** The index of the workspace among a statement's values; undefined if it spans all workspaces. */
const workspaceIndexes = new Map<string, number | undefined>([[LOCK_WORKSPACE_SQL, 0]])

/** The workspace set on each connection; absent after a rollback, which may have reset it. */
const currentWorkspace = new WeakMap<pg.Client, unknown>()

/** Statements that read no table: the workspace that is set stays for the next one. */
const BOUNDARY = /^(begin|commit|savepoint|release savepoint)\b[^;]*$/
const ROLLBACK = /^rollback\b/

/**
 * Patches this process so that on a connection with row-level security each statement is preceded
 * by the workspace that it binds. Statements that do not come from the storage see no workspace.
 */
export function applyWorkspacePerStatement(): void {
  const { one, all, oneNow, allNow, run, runEach } = Transaction.prototype
  Object.assign(Transaction.prototype, {
    one: recordWorkspaceIndex(one),
    all: recordWorkspaceIndex(all),
    oneNow: recordWorkspaceIndex(oneNow),
    allNow: recordWorkspaceIndex(allNow),
    run: recordWorkspaceIndex(run),
    runEach: recordWorkspaceIndex(runEach),
  })
  const { query } = pg.Client.prototype
  Object.defineProperty(pg.Client.prototype, 'query', {
    value(this: pg.Client, ...given: unknown[]) {
      const [asked] = given
      if (this.user === RESTRICTED_ROLE && !isBoundary(asked)) {
        const workspace = isStatement(asked) ? workspaceOf(asked) : undefined
        if (workspace !== undefined && workspace !== currentWorkspace.get(this)) {
          const text = `select set_config('${SETTING}', $1, false)`
          // In a failed transaction this fails, as does the statement after it, which reports it.
          const config = { name: 'wall', text, values: [workspace] }
          Reflect.apply(query, this, [config]).catch(() => {})
        }
        currentWorkspace.set(this, workspace)
        if (typeof asked === 'string' && ROLLBACK.test(asked)) currentWorkspace.delete(this)
      }
      return Reflect.apply(query, this, given)
    },
  })
}

function recordWorkspaceIndex<T extends (statement: never, args: never) => unknown>(method: T) {
  return function (
    this: Transaction,
    statement: Query<unknown, unknown> | WriteCommand<unknown, unknown>,
    args: StatementParams<unknown>,
  ) {
    const { sql, values } = statement.text('postgres')
    const at = values.findIndex((value) => value instanceof Slot && value.name === 'workspace_id')
    workspaceIndexes.set(sql, at < 0 ? undefined : at)
    return Reflect.apply(method, this, [statement, args])
  }
}

const isBoundary = (asked: unknown): boolean => typeof asked === 'string' && BOUNDARY.test(asked)

interface BoundStatement {
  text: string
  values: unknown[]
}

const isStatement = (asked: unknown): asked is BoundStatement =>
  typeof asked === 'object' && asked !== null && 'text' in asked && 'values' in asked

function workspaceOf({ text, values }: BoundStatement): unknown {
  if (!workspaceIndexes.has(text)) return ''
  const at = workspaceIndexes.get(text)
  return at === undefined ? '*' : values[at]
}
