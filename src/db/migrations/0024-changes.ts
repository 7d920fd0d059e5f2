import type { IndexMigration, Migration } from '../migrate/migrations.ts'

/**
 * The tables whose rows are records of the feed of changes. The code has a list of its own
 * (src/db/core/number-changes.ts), because a migration never changes after its release.
 */
const RECORD_TABLES = [
  'projects',
  'tags',
  'tasks',
  'comments',
  'time_entries',
  'attachments',
  'memberships',
] as const

/** The number of the write that is running, which its commit makes the newest of the workspace. */
const numberIn = (row: 'old' | 'new') =>
  `(select last_change_number + 1 from workspaces where id = ${row}.workspace_id)`

/** What the engines write differently in a trigger. */
interface TriggerSyntax {
  now: string
  insert: string
  onConflict: string
  create(trigger: Trigger): string
}

interface Trigger {
  name: string
  event: string
  table: string
  when: string
  body: string
}

const SQLITE: TriggerSyntax = {
  now: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
  insert: 'insert or ignore into',
  onConflict: '',
  create: ({ name, event, table, when, body }) =>
    `create trigger ${name} after ${event} on ${table} when ${when} begin\n${body}\nend;\n`,
}

const POSTGRES: TriggerSyntax = {
  now: `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  insert: 'insert into',
  onConflict: ' on conflict do nothing',
  create: ({ name, event, table, when, body }) =>
    `create function ${name}() returns trigger as $$ begin\n${body}\nreturn null; end $$ language plpgsql;
create trigger ${name} after ${event} on ${table} for each row when (${when})
  execute function ${name}();\n`,
}

/** Inserts tombstones from a selection of record_id, project_id and user_id. */
const tombstones = ({ now, insert, onConflict }: TriggerSyntax, row: 'old' | 'new', of: string) =>
  `  ${insert} tombstones (workspace_id, change_number, record_id, project_id, user_id, created_at)
    select ${row}.workspace_id, ${numberIn(row)}, gone.record_id, gone.project_id, gone.user_id, ${now}
    from (${of}) as gone${onConflict};`

const CHILD_TABLES = ['comments', 'time_entries', 'attachments'] as const

/** Gives the comments, time entries and attachments of a task the number of the write. */
const renumberChildren = CHILD_TABLES.map(
  (table) => `  update ${table} set change_number = ${numberIn('new')}
    where workspace_id = new.workspace_id and task_id = new.id;`,
).join('\n')

/** Whether a member with this role, which is '' for nobody, sees a project. */
const seesProject = (role: string, visibility: string, lead: string, isListed: string) =>
  `(${role} in ('owner', 'admin') or (${role} = 'member' and (${visibility} = 'workspace' or ${lead}))
      or (${role} in ('member', 'guest') and ${isListed}))`

const roleOf = (row: 'old' | 'new') =>
  `(case when ${row}.removed_at is null then ${row}.role else '' end)`

/** Whether a person is in the people list of a project. */
const isListed = (project: string, user: string) =>
  `exists (select 1 from project_people as people where people.workspace_id = new.workspace_id
        and people.project_id = ${project} and people.user_id = ${user})`

const triggers = (syntax: TriggerSyntax): Trigger[] => [
  // Purged records leave tombstones too: a reader may be older than their deletion.
  ...CHILD_TABLES.map((table) => ({
    ...{ name: `${table}_tombstone`, event: 'delete', table },
    when: 'old.id is not null',
    body: tombstones(
      syntax,
      'old',
      `select old.id as record_id, tasks.project_id, '' as user_id from tasks
      where tasks.workspace_id = old.workspace_id and tasks.id = old.task_id`,
    ),
  })),
  ...(['tags', 'tasks'] as const).map((table) => ({
    ...{ name: `${table}_tombstone`, event: 'delete', table, when: 'old.id is not null' },
    body: tombstones(
      syntax,
      'old',
      "select old.id as record_id, old.project_id as project_id, '' as user_id",
    ),
  })),
  {
    // Removing a member deletes these rows, too: if the person is added again later, a position from
    // before must lead to the projects that the person no longer sees.
    ...{ name: 'project_people_tombstone', event: 'delete', table: 'project_people' },
    when: 'old.user_id is not null',
    body: tombstones(
      syntax,
      'old',
      'select old.project_id as record_id, old.project_id as project_id, old.user_id as user_id',
    ),
  },
  {
    ...{ name: 'tasks_moved', event: 'update of project_id', table: 'tasks' },
    when: 'old.project_id <> new.project_id',
    body: `${tombstones(
      syntax,
      'new',
      [
        "select old.id as record_id, old.project_id as project_id, '' as user_id",
        ...CHILD_TABLES.map(
          (table) => `select id, old.project_id, '' from ${table}
      where workspace_id = new.workspace_id and task_id = new.id`,
        ),
      ].join(' union all '),
    )}\n${renumberChildren}`,
  },
  {
    ...{ name: 'tasks_deleted_or_restored', event: 'update of deleted_at', table: 'tasks' },
    when: '(old.deleted_at is null) <> (new.deleted_at is null)',
    body: renumberChildren,
  },
  {
    ...{ name: 'projects_reset', event: 'update of prefix', table: 'projects' },
    when: 'old.prefix <> new.prefix',
    body: tombstones(
      syntax,
      'new',
      "select new.id as record_id, new.id as project_id, '' as user_id",
    ),
  },
  {
    ...{ name: 'projects_sight', event: 'update of visibility, lead_id', table: 'projects' },
    when: "old.visibility <> new.visibility or coalesce(old.lead_id, '') <> coalesce(new.lead_id, '')",
    body: tombstones(
      syntax,
      'new',
      `select new.id as record_id, new.id as project_id, memberships.user_id from memberships
      where memberships.workspace_id = new.workspace_id and memberships.role = 'member'
        and memberships.removed_at is null
        and not ${isListed('new.id', 'memberships.user_id')}
        and (old.visibility = 'workspace' or coalesce(old.lead_id, '') = memberships.user_id)
          <> (new.visibility = 'workspace' or coalesce(new.lead_id, '') = memberships.user_id)`,
    ),
  },
  {
    ...{ name: 'memberships_sight', event: 'update of role, removed_at', table: 'memberships' },
    when: `${roleOf('old')} <> ${roleOf('new')}`,
    body: tombstones(
      syntax,
      'new',
      `select 'members' as record_id, '' as project_id, new.user_id as user_id
      union all select projects.id, projects.id, new.user_id from projects
      where projects.workspace_id = new.workspace_id
        and ${(['old', 'new'] as const)
          .map((row) =>
            seesProject(
              roleOf(row),
              'projects.visibility',
              "coalesce(projects.lead_id, '') = new.user_id",
              isListed('projects.id', 'new.user_id'),
            ),
          )
          .join(' <> ')}`,
    ),
  },
  {
    ...{ name: 'users_changed', event: 'update of name, email, avatar_url, timezone, locale' },
    table: 'users',
    when: `old.name <> new.name or old.email <> new.email or old.timezone <> new.timezone
      or old.locale <> new.locale or coalesce(old.avatar_url, '') <> coalesce(new.avatar_url, '')`,
    // First the counters, whose locks keep other writes of these workspaces away on PostgreSQL.
    body: `  update workspaces set last_change_number = last_change_number + 1
    where id in (select workspace_id from memberships where user_id = new.id);
  update memberships set change_number = (select last_change_number from workspaces
    where workspaces.id = memberships.workspace_id) where user_id = new.id;
  ${syntax.insert} tombstones (workspace_id, change_number, record_id, project_id, user_id, created_at)
    select workspaces.id, last_change_number, new.id, '', '', ${syntax.now} from workspaces
    where id in (select workspace_id from memberships where user_id = new.id)
      and (old.name <> new.name or coalesce(old.avatar_url, '') <> coalesce(new.avatar_url, ''))${syntax.onConflict};`,
  },
]

const renderTriggers = (syntax: TriggerSyntax) => triggers(syntax).map(syntax.create).join('')

/**
 * The feed of changes: each visible row has the number of the write that changed it last, rising in
 * the order of commits of its workspace. Tombstones say what is gone from a project, for everybody or
 * for one person; one whose record is a project means that person's sight of it changed, or (for
 * everybody) that all of its records changed; one whose record is a person, that all comments of that
 * person changed. What is rare is written by triggers, which no operation
 * can forget: deletions, moves, sight, names of people. All else is numbered by the statements
 * themselves (`numberChanges` in src/db/core), because triggers would cost each write more.
 */
export const changesMigration: Migration = {
  name: '0024-changes',
  sql: `
alter table workspaces add column last_change_number bigint not null default 0;
alter table workspaces add column tombstones_from bigint not null default 0;
${RECORD_TABLES.map((table) => `alter table ${table} add column change_number bigint not null default 0;`).join('\n')}
create table tombstones (
  workspace_id text not null references workspaces,
  change_number bigint not null,
  record_id text not null,
  project_id text not null,
  user_id text not null,
  created_at text not null,
  primary key (workspace_id, change_number, record_id, project_id, user_id)
);
`,
  sqlite: renderTriggers(SQLITE),
  postgres: renderTriggers(POSTGRES),
}

const indexByChange = (table: (typeof RECORD_TABLES)[number]): IndexMigration => ({
  name: `0025-${table.replace('_', '-')}-by-change`,
  index: {
    name: `${table}_change`,
    table,
    columns: `(workspace_id, change_number, ${table === 'memberships' ? 'user_id' : 'id'}) where change_number > 0`,
  },
})

/**
 * For each table the rows that changed since this release, by number; and the comments of a person,
 * which show the name and the picture, and change when these do.
 */
export const changeIndexMigrations: readonly IndexMigration[] = [
  indexByChange('attachments'),
  {
    name: '0025-comments-by-author',
    index: { name: 'comments_author', table: 'comments', columns: '(workspace_id, author_id, id)' },
  },
  indexByChange('comments'),
  indexByChange('memberships'),
  indexByChange('projects'),
  indexByChange('tags'),
  indexByChange('tasks'),
  indexByChange('time_entries'),
]
