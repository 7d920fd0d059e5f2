import type { Migration } from '../migrate/migrations.ts'

/** When a person last confirmed a session by the password; null: not since the sign-in. */
export const sessionConfirmationMigration: Migration = {
  name: '0030-session-confirmation',
  sql: 'alter table sessions add column confirmed_at text;',
}
