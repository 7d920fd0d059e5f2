import type { Migration } from '../migrate/migrations.ts'

/** Whether an owner requires a second factor from the members of a workspace. */
export const secondFactorDemandMigration: Migration = {
  name: '0019-second-factor-demand',
  sql: 'alter table workspaces add column requires_second_factor bigint not null default 0;',
}
