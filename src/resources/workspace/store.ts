import { type Expression, sql } from 'kysely'
import { query, type Scoped, unscopedQuery } from '#db/core/statement.ts'

/** The sum over the rows of sessions, or over all others. */
const sumOf = (count: Expression<number>, isOfSessions: boolean) => {
  const isCounted = isOfSessions ? sql`credential_type = 'user'` : sql`credential_type <> 'user'`
  return sql<number>`sum(case when ${isCounted} then ${count} else 0 end)`
}

/**
 * The requests of the workspace in each minute since then, in chronological order: those of API keys
 * and applications, and those of sessions, which have a limit of their own.
 */
export const requestsByMinute = query((db, $: Scoped<{ since: string }>) =>
  db
    .selectFrom('request_counts')
    .select((is) => [
      'at',
      sumOf(is.ref('used'), false).as('used'),
      sumOf(is.ref('refused'), false).as('refused'),
      sumOf(is.ref('used'), true).as('session_used'),
      sumOf(is.ref('refused'), true).as('session_refused'),
    ])
    .where('at', '>', $.since)
    .groupBy('at')
    .orderBy('at'),
)

/** The credentials with the most requests since then. */
export const busiestCredentials = query((db, $: Scoped<{ since: string; limit: number }>) =>
  db
    .selectFrom('request_counts')
    .select((is) => [
      'credential_id as id',
      is.fn.max('credential_type').as('type'),
      is.fn.max('name').as('name'),
      is.fn.sum<number>('used').as('used'),
      is.fn.sum<number>('refused').as('refused'),
    ])
    .where('at', '>', $.since)
    .groupBy('credential_id')
    .orderBy((is) => is.fn.sum('used'), 'desc')
    .orderBy('credential_id')
    .limit($.limit),
)

/** The undeleted workspaces of a user, by name. */
export const activeWorkspacesOfUser = unscopedQuery((db, $: { user_id: string }) =>
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
