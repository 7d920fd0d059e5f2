import { query, type Scoped, unscopedQuery } from '../core/statement.ts'

/** A page of a list for operators: the rows after an id, in order of their ids. */
export interface PageSlots {
  after: string
  limit: number
}

/** All workspaces, deleted ones too. */
export const listedWorkspacesAfter = unscopedQuery((db, $: PageSlots) =>
  db
    .selectFrom('workspaces')
    .select((is) => [
      'id',
      'name',
      'plan',
      'timezone',
      'created_at',
      'deleted_at',
      is
        .selectFrom('memberships')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('memberships.workspace_id', '=', 'workspaces.id')
        .where('removed_at', 'is', null)
        .as('members'),
    ])
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

/** All accounts, erased ones too. */
export const usersAfter = unscopedQuery((db, $: PageSlots) =>
  db
    .selectFrom('users')
    .select((is) => [
      'id',
      'email',
      'name',
      'created_at',
      is
        .selectFrom('memberships')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('memberships.user_id', '=', 'users.id')
        .where('removed_at', 'is', null)
        .as('workspaces'),
    ])
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

/** All members of a workspace, removed ones too. */
export const membersAfter = query((db, $: Scoped<PageSlots>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'memberships.role',
      'memberships.joined_at',
      'memberships.removed_at',
      'last_active_at',
    ])
    .where('memberships.user_id', '>', $.after)
    .orderBy('memberships.user_id')
    .limit($.limit),
)

/** The name and the email address of a member. */
export const memberContact = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.name', 'users.email'])
    .where('memberships.user_id', '=', $.id),
)

/** All projects of a workspace, private and archived ones too. */
export const projectsAfter = query((db, $: Scoped<PageSlots>) =>
  db
    .selectFrom('projects')
    .select(['id', 'prefix', 'name', 'visibility', 'lead_id', 'archived_at', 'created_at'])
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)
