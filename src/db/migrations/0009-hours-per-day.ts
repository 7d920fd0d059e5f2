import type { Migration } from '../migrate/migrations.ts'

/** How many hours of estimates a person plans for a day. */
export const hoursPerDayMigration: Migration = {
  name: '0013-hours-per-day',
  sql: 'alter table users add column hours_per_day integer not null default 6;',
}
