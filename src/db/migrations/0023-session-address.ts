import type { Migration } from '../migrate/migrations.ts'

/** The IP address from which a session was started; null for older sessions. */
export const sessionAddressMigration: Migration = {
  name: '0023-session-address',
  sql: 'alter table sessions add column address text;',
}
