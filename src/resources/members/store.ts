import { sql } from 'kysely'
import { memberSeesProject } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Member } from './contract.ts'

/** The JSON of a member as an owner sees it. Needs users joined. */
const memberJson = ({ json }: Dialect, email = sql.ref<string | null>('users.email')) =>
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

/** Guests see no email address but their own. */
const seesEmail = ($: Scoped) =>
  sql<boolean>`(${$.viewer_sees_open} = 1 or users.id = ${$.viewer_id})`

/** Whether a member is in the people list of a project. */
export const isInPeopleList = ($: Scoped<{ project_id: string }>) =>
  sql<boolean>`exists (select 1 from project_people as people
    where people.workspace_id = ${$.workspace_id} and people.project_id = ${$.project_id}
      and people.user_id = memberships.user_id)`

/** An active or removed member as an owner sees it, which is the record in events. */
export const memberById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'joined_at as revision', memberJson(dialect).as('json')])
    .where('user_id', '=', $.id),
)

interface MemberFilters {
  role: string[]
  words: string[]
  email: string
  project_id: string
}

interface MemberQueryShape {
  order: ListOrder
  status: 'active' | 'removed' | 'all'
  /** `project`: only the people list of a project. */
  has: { role: boolean; q: boolean; project?: boolean }
}

/** The JSON of a member as the actor may see it. Needs users joined. */
export const visibleMemberJson = (dialect: Dialect, $: Scoped) =>
  memberJson(dialect, sql<string | null>`case when ${seesEmail($)} then users.email end`)

/** The members of the workspace as the actor may see them. */
export const selectMembers = memoizeByShape(({ order, status, has }: MemberQueryShape) =>
  query((db, $: Scoped<PageWindow & MemberFilters>, dialect) => {
    let rows = db
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select([
        'users.id',
        sql.ref<string>(order.column ?? 'memberships.user_id').as('key'),
        visibleMemberJson(dialect, $).as('json'),
      ])
    if (status !== 'all')
      rows = rows.where('removed_at', status === 'active' ? 'is' : 'is not', null)
    if (has.role) rows = rows.where(dialect.inList('memberships.role', $.role))
    if (has.q) {
      rows = rows.where((is) =>
        is.or([
          dialect.hasAllWords('memberships.name_words', $.words),
          is.and([is('users.email', '=', $.email), seesEmail($)]),
        ]),
      )
    }
    if (has.project) rows = rows.where(isInPeopleList($))
    return paginate(rows, $, 'memberships.user_id', order)
  }),
)

/** Which of these users are active members. */
export const activeMembersByIds = query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where(inList('user_id', $.ids))
    .where('removed_at', 'is', null),
)

/** Which of some users are active members who see a project. */
export const membersWithAccess = query(
  (db, $: Scoped<{ project_id: string; user_ids: string[] }>, dialect) =>
    db
      .selectFrom('memberships')
      .innerJoin('projects', (join) => join.on('projects.id', '=', $.project_id))
      .select('memberships.user_id')
      .where('memberships.removed_at', 'is', null)
      .where(dialect.inList('memberships.user_id', $.user_ids))
      .where(memberSeesProject($)),
)
