import type { Migration } from '../migrations.ts'

/** Whether a workspace demands a second factor of its members: an owner says so. */
export const secondFactorDemand: Migration = {
  name: '0019-second-factor-demand',
  sql: 'alter table workspaces add column requires_second_factor bigint not null default 0;',
}
