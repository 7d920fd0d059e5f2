import type { Migration } from '../migrations.ts'

/** Whoever reads the audit log asks for one kind of act, or for those of one person, the newest first. */
export const auditActions: Migration = {
  name: '0017-audit-actions',
  index: {
    name: 'audit_entries_action',
    table: 'audit_entries',
    columns: '(workspace_id, action, sequence)',
  },
}

export const auditPeople: Migration = {
  name: '0017-audit-people',
  index: {
    name: 'audit_entries_actor',
    table: 'audit_entries',
    columns: '(workspace_id, actor_id, sequence)',
  },
}
