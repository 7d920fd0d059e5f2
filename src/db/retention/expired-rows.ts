import { sql } from 'kysely'
import { memoizeByShape, unscopedCommand } from '../core/statement.ts'

const EXPIRY_COLUMNS = {
  sessions: { key: 'id', column: 'expires_at' },
  password_resets: { key: 'hash', column: 'expires_at' },
  sign_in_steps: { key: 'hash', column: 'expires_at' },
  attempts: { key: 'subject', column: 'kept_until' },
  invitations: { key: 'hash', column: 'expires_at' },
  oauth_records: { key: 'kind, hash', column: 'expires_at' },
  grants: { key: 'id', column: 'expires_at' },
} as const

/** Deletes at most `limit` expired rows of a table. */
export const deleteExpiredRows = memoizeByShape((table: keyof typeof EXPIRY_COLUMNS) =>
  unscopedCommand((db, $: { now: string; limit: number }) => {
    const [key, column] = [
      sql.raw(EXPIRY_COLUMNS[table].key),
      sql.ref(EXPIRY_COLUMNS[table].column),
    ]
    const some = sql`select ${key} from ${sql.table(table)} where ${column} <= ${$.now} limit ${$.limit}`
    return db.deleteFrom(table).where(sql<boolean>`(${key}) in (${some})`)
  }),
)
