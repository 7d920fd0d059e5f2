import { sql } from 'kysely'
import type { Dialect } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { memberSees } from '#storage/seeing.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import type { Member } from './contract.ts'

/** A member as an owner sees it: the one place that says so. Needs the table users beside. */
const shownMember = ({ json }: Dialect, email = sql.ref<string | null>('users.email')) =>
  json<Member>('users', {
    id: 'plain',
    name: 'plain',
    email,
    avatar_url: 'plain',
    role: sql.ref('memberships.role'),
    status: sql`case when memberships.removed_at is null then 'active' else 'removed' end`,
    timezone: 'plain',
    locale: 'plain',
    joined_at: sql.ref('memberships.joined_at'),
    last_active_at: sql.ref('memberships.last_active_at'),
  })

/** Guests see the address of nobody but themselves. */
const seesEmail = ($: Scoped) =>
  sql<boolean>`(${$.viewer_is_member} = 1 or users.id = ${$.viewer_id})`

/** Whether a member is in the people list of a project. */
export const isListed = ($: Scoped<{ project_id: string }>) =>
  sql<boolean>`exists (select 1 from project_people as people
    where people.workspace_id = ${$.workspace_id} and people.project_id = ${$.project_id}
      and people.user_id = memberships.user_id)`

/** A member of the workspace as an owner reads it, removed ones too: the record of events. */
export const memberById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'joined_at as revision', shownMember(dialect).as('json')])
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.id),
)

interface Filters {
  role: string[]
  words: string[]
  email: string
  project_id: string
}

interface Shape {
  order: Order
  status: 'active' | 'removed' | 'all'
  /** `project`: only who is in its people list. */
  has: { role: boolean; q: boolean; project?: boolean }
}

/** The members of the workspace as the actor may see them. */
export const membersWhere = shaped(({ order, status, has }: Shape) =>
  query((db, $: Scoped<Window & Filters>, dialect) => {
    const email = sql<string | null>`case when ${seesEmail($)} then users.email end`
    let found = db
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select([
        'users.id',
        sql.ref<string>(order.column ?? 'memberships.user_id').as('key'),
        shownMember(dialect, email).as('json'),
      ])
      .where('workspace_id', '=', $.workspace_id)
    if (status !== 'all')
      found = found.where('removed_at', status === 'active' ? 'is' : 'is not', null)
    if (has.role) found = found.where(dialect.among('memberships.role', $.role))
    if (has.q) {
      found = found.where((is) =>
        is.or([
          dialect.holdsWords('memberships.name_words', $.words),
          is.and([is('users.email', '=', $.email), seesEmail($)]),
        ]),
      )
    }
    if (has.project) found = found.where(isListed($))
    return paged(found, $, 'memberships.user_id', order)
  }),
)

/** Those of some persons who are active members and see a project. */
export const seeingAmong = query(
  (db, $: Scoped<{ project_id: string; user_ids: string[] }>, dialect) =>
    db
      .selectFrom('memberships')
      .innerJoin('projects', 'projects.workspace_id', 'memberships.workspace_id')
      .select('memberships.user_id')
      .where('memberships.workspace_id', '=', $.workspace_id)
      .where('memberships.removed_at', 'is', null)
      .where(dialect.among('memberships.user_id', $.user_ids))
      .where('projects.id', '=', $.project_id)
      .where(memberSees($)),
)
