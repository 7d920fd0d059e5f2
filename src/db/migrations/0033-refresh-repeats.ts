import type { Migration } from '../migrate/migrations.ts'

/** When a refresh token was presented again; null for those that never were. */
export const refreshRepeatsMigration: Migration = {
  name: '0033-refresh-repeats',
  sql: 'alter table oauth_records add column repeated_at text;',
}
