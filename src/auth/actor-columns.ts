/**
 * The columns of an actor's user and workspace, for every kind of credential. The statement must
 * join `users`, `memberships` and `workspaces`.
 */
export const ACTOR_COLUMNS = [
  'users.name',
  'users.timezone',
  'memberships.role',
  'workspaces.plan',
  'workspaces.timezone as workspace_timezone',
  'workspaces.deleted_at as workspace_deleted_at',
] as const
