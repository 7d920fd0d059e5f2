import type { Migration } from '../migrate/migrations.ts'

/** Indexes for reading the audit log by action or by user, newest first. */
export const auditActionsMigration: Migration = {
  name: '0017-audit-actions',
  index: {
    name: 'audit_entries_action',
    table: 'audit_entries',
    columns: '(workspace_id, action, sequence)',
  },
}

export const auditPeopleMigration: Migration = {
  name: '0017-audit-people',
  index: {
    name: 'audit_entries_actor',
    table: 'audit_entries',
    columns: '(workspace_id, actor_id, sequence)',
  },
}
