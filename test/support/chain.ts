import { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import { personally } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import type { AuditEntryRow } from '#storage/tables.ts'
import { INSTALLATION } from '#wire/audit.ts'

/** Changes tables behind the back of the store, as somebody who has the database can. */
export type Tamper = (sql: string) => Promise<void>

export const tamperingSqlite =
  (path: string): Tamper =>
  async (sql) => {
    const db = new DatabaseSync(path)
    db.exec(sql)
    db.close()
  }

export const tamperingPostgres =
  (admin: pg.Client): Tamper =>
  async (sql) => {
    await admin.query(sql)
  }

export const CHAIN = 'wsp_00000000000000000000000000'

/** Adds entries to a chain, some thousand at a time. */
export async function grow(storage: Storage, count: number, chain = CHAIN): Promise<void> {
  for (let made = 0; made < count; made += 2_000) {
    const size = Math.min(2_000, count - made)
    await storage.write(personally('usr_1'), async (tx) => {
      for (let one = 0; one < size; one += 1) {
        const details = { user_id: `usr_${made + one}`, by: null, factors: 1 } as const
        tx.audit('session.created', `ses_${made + one}`, details, chain)
      }
    })
  }
}

/** The text of an SQL statement that sets an entry to what it is here. */
export const setEntry = ({ workspace_id, sequence, ...entry }: AuditEntryRow): string => {
  const value = (given: unknown) =>
    given === null ? 'null' : `'${String(given).replaceAll("'", "''")}'`
  const set = Object.entries(entry).map(([column, given]) => `${column} = ${value(given)}`)
  return `update audit_entries set ${set.join(', ')}
    where workspace_id = '${workspace_id || INSTALLATION}' and sequence = ${sequence}`
}
