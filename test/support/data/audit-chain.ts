import { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import { createUserActor } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import type { AuditEntryRow } from '#db/schema/tables.ts'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'

/** Changes tables past the store, as somebody with access to the database can. */
export type TamperWithDatabase = (sql: string) => Promise<void>

export const createSqliteTamper =
  (path: string): TamperWithDatabase =>
  async (sql) => {
    const db = new DatabaseSync(path)
    db.exec(sql)
    db.close()
    // The store's reads of one turn share a snapshot, and another process writes in none of its turns.
    await new Promise(setImmediate)
  }

export const createPostgresTamper =
  (admin: pg.Client): TamperWithDatabase =>
  async (sql) => {
    await admin.query(sql)
  }

export const TEST_CHAIN = 'wsp_00000000000000000000000000'

/** Appends entries to a chain, 2,000 in a transaction. */
export async function appendAuditEntries(
  storage: Storage,
  count: number,
  chain = TEST_CHAIN,
): Promise<void> {
  for (let made = 0; made < count; made += 2_000) {
    const size = Math.min(2_000, count - made)
    await storage.write(createUserActor('usr_1'), async (tx) => {
      for (let one = 0; one < size; one += 1) {
        const details = {
          user_id: `usr_${made + one}`,
          by: null,
          factors: 1,
          address: null,
        } as const
        tx.audit('session.created', `ses_${made + one}`, details, chain)
      }
    })
  }
}

/** An SQL statement that overwrites a stored entry with this one. */
export const updateEntrySql = ({ workspace_id, sequence, ...entry }: AuditEntryRow): string => {
  const value = (given: unknown) =>
    given === null ? 'null' : `'${String(given).replaceAll("'", "''")}'`
  const set = Object.entries(entry).map(([column, given]) => `${column} = ${value(given)}`)
  return `update audit_entries set ${set.join(', ')}
    where workspace_id = '${workspace_id || INSTALLATION_CHAIN}' and sequence = ${sequence}`
}
