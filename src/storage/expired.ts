import { sql } from 'kysely'
import { commandOfAll, shaped } from './statement.ts'

const EXPIRES = {
  sessions: { key: 'id', column: 'expires_at' },
  password_resets: { key: 'hash', column: 'expires_at' },
  sign_in_steps: { key: 'hash', column: 'expires_at' },
  attempts: { key: 'subject', column: 'kept_until' },
  invitations: { key: 'hash', column: 'expires_at' },
  oauth_records: { key: 'kind, hash', column: 'expires_at' },
  grants: { key: 'id', column: 'expires_at' },
} as const

/** Forgets some rows whose time is over. */
export const forgetExpired = shaped((table: keyof typeof EXPIRES) =>
  commandOfAll((db, $: { now: string; limit: number }) => {
    const [key, column] = [sql.raw(EXPIRES[table].key), sql.ref(EXPIRES[table].column)]
    const some = sql`select ${key} from ${sql.table(table)} where ${column} <= ${$.now} limit ${$.limit}`
    return db.deleteFrom(table).where(sql<boolean>`(${key}) in (${some})`)
  }),
)
