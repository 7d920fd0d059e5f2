/**
 * What every actor knows of its person and its workspace, whatever the credential: the statement joins
 * `users`, `memberships` and `workspaces`.
 */
export const ACTOR_COLUMNS = [
  'users.name',
  'users.timezone',
  'memberships.role',
  'workspaces.plan',
  'workspaces.timezone as workspace_timezone',
  'workspaces.deleted_at as workspace_deleted_at',
] as const
