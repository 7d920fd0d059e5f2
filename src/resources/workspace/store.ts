import { query, queryOfAll, type Scoped } from '#storage/statement.ts'

/** What the workspace has asked in each minute since then, in order of time. */
export const minutesSince = query((db, $: Scoped<{ since: string }>) =>
  db
    .selectFrom('request_counts')
    .select((is) => [
      'at',
      is.fn.sum<number>('used').as('used'),
      is.fn.sum<number>('refused').as('refused'),
    ])
    .where('workspace_id', '=', $.workspace_id)
    .where('at', '>', $.since)
    .groupBy('at')
    .orderBy('at'),
)

/** The credentials that asked most since then. */
export const busiest = query((db, $: Scoped<{ since: string; limit: number }>) =>
  db
    .selectFrom('request_counts')
    .select((is) => [
      'credential_id as id',
      is.fn.max('credential_type').as('type'),
      is.fn.max('name').as('name'),
      is.fn.sum<number>('used').as('used'),
      is.fn.sum<number>('refused').as('refused'),
    ])
    .where('workspace_id', '=', $.workspace_id)
    .where('at', '>', $.since)
    .groupBy('credential_id')
    .orderBy((is) => is.fn.sum('used'), 'desc')
    .orderBy('credential_id')
    .limit($.limit),
)

/** The workspaces of a person that are not deleted, by name. */
export const otherWorkspaces = queryOfAll((db, $: { user_id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['workspaces.id', 'workspaces.name'])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null)
    .orderBy('workspaces.name')
    .orderBy('workspaces.id'),
)
