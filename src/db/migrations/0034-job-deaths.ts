import type { Migration } from '../migrate/migrations.ts'

/**
 * How often in a row a job was claimed from a process that had ended without giving it back. The
 * previous release neither counts nor resets it.
 */
export const jobDeathsMigration: Migration = {
  name: '0034-job-deaths',
  sql: 'alter table jobs add column deaths integer not null default 0;',
}
