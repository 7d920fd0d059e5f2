import { type RawBuilder, sql } from 'kysely'
import type { ReadTx } from '#core/tx.ts'
import { compiled, query, type Scoped, shaped } from '#storage/statement.ts'
import { LINES, type Lines, type Part } from './lines.ts'

/** Parts whose lines are the rows of a table. */
type Listed = Exclude<Part, 'workspace'>

/** What a row gives: text, whole numbers and null. */
type Row = Record<string, string | number | null>

/** Rows that are read together: the largest have a megabyte. */
const AT_ONCE = 50

interface Source {
  from: RawBuilder<unknown>
  /** The columns that the rows are in order of: an index of the table, after its workspace. */
  key: readonly string[]
  /** Columns that have another name than the field, or stand in another table. */
  renamed?: Readonly<Record<string, string>>
  /** Fields that other tables give. */
  gathered?: readonly string[]
  json?: readonly string[]
}

const of = (name: string) => sql`${sql.table(name)}`

const SOURCES: Record<Listed, Source> = {
  members: {
    from: sql`memberships join users on users.id = memberships.user_id`,
    key: ['memberships.user_id'],
    renamed: {
      id: 'memberships.user_id',
      ...{ role: 'memberships.role', joined_at: 'memberships.joined_at' },
      ...{ removed_at: 'memberships.removed_at', last_active_at: 'memberships.last_active_at' },
    },
  },
  projects: {
    from: of('projects'),
    key: ['id'],
    gathered: ['former_prefixes', 'people_ids'],
    json: ['statuses'],
  },
  tags: { from: of('tags'), key: ['id'] },
  views: { from: of('views'), key: ['id'], gathered: ['pinned_by'] },
  templates: { from: of('templates'), key: ['id'], json: ['tasks'] },
  tasks: {
    from: of('tasks'),
    key: ['id'],
    gathered: ['former_numbers', 'blocked_by_ids'],
    json: ['assignee_ids', 'tag_ids', 'recurrence', 'custom_fields', 'metadata'],
  },
  comments: { from: of('comments'), key: ['id'], json: ['mentions'] },
  time_entries: { from: of('time_entries'), key: ['id'] },
  activity: { from: of('activity'), key: ['task_id', 'id'], json: ['changes'] },
  events: {
    from: of('events'),
    key: ['sequence'],
    renamed: { event: 'payload' },
    json: ['event'],
  },
  webhooks: { from: of('webhooks'), key: ['id'], json: ['events', 'project_ids'] },
  applications: { from: of('applications'), key: ['id'], json: ['redirect_uris', 'scopes'] },
  attachments: { from: of('attachments'), key: ['id'], gathered: ['file'] },
}

/** The first rows, or those after one; as `after_1` and `after_2` the columns of the order. */
const page = shaped(({ part, after }: { part: Listed; after: boolean }) =>
  query((db, $: Scoped<{ after_1: string | number; after_2: string; limit: number }>) => {
    const { from, key, renamed = {}, gathered = [] } = SOURCES[part]
    const fields = Object.keys(LINES[part].properties).filter((name) => !gathered.includes(name))
    const columns = fields.map((name) => sql`${sql.ref(renamed[name] ?? name)} as ${sql.ref(name)}`)
    const order = sql.join(key.map((name) => sql.ref(name)))
    const slots = sql.join([$.after_1, $.after_2].slice(0, key.length))
    const workspace = sql.ref(part === 'members' ? 'memberships.workspace_id' : 'workspace_id')
    const key_1 = sql`${sql.ref(key[0] ?? '')} as key_1`
    return compiled<Row>(
      db,
      sql`select ${sql.join([...columns, key_1])} from ${from}
        where ${workspace} = ${$.workspace_id}
          ${after ? sql`and (${order}) > (${slots})` : sql``}
        order by ${order} limit ${$.limit}`,
    )
  }),
)

/**
 * The lines of a part, in order, some at a time. Of events those that the log still shows, from
 * `log_from` on.
 */
export async function* linesFrom<P extends Listed>(
  tx: ReadTx,
  part: P,
  log_from: number,
): AsyncGenerator<Lines[P][]> {
  let args = { after_1: part === 'events' ? log_from - 1 : '', after_2: '', limit: AT_ONCE }
  for (let after = part === 'events'; ; after = true) {
    const rows = await tx.all(page({ part, after }), args)
    const last = rows.at(-1)
    if (!last) return
    const ids = rows.map(({ id }) => String(id))
    const more = await MORE[part]?.(tx, ids)
    yield rows.map((row) => lineOf(part, { ...row, ...more?.(String(row.id)) }))
    if (rows.length < AT_ONCE) return
    args = { after_1: last.key_1 ?? '', after_2: String(last.id), limit: AT_ONCE }
  }
}

/** The workspace as a line; none: there is no such workspace. */
export const workspaceLine = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at'])
    .select(['last_sequence', 'log_from_sequence'])
    .where('id', '=', $.workspace_id),
)

function lineOf<P extends Listed>(part: P, row: Record<string, unknown>): Lines[P] {
  const { json = [] } = SOURCES[part]
  const line: Record<string, unknown> = { ...row }
  for (const name of json) {
    const text = row[name]
    line[name] = typeof text === 'string' ? JSON.parse(text) : null
  }
  if (part === 'time_entries') line.billable = row.billable === 1
  if (part === 'attachments') line.file = 'here'
  return line as Lines[P]
}

type Gathering = (tx: ReadTx, ids: string[]) => Promise<(id: string) => object>

/** What rows of other tables add to some lines, by the ids of these. */
const MORE: Partial<Record<Listed, Gathering>> = {
  async projects(tx, ids) {
    const prefixes = await tx.all(formerPrefixes, { ids })
    const people = await tx.all(peopleOfProjects, { ids })
    return (id) => ({
      former_prefixes: prefixes.filter((one) => one.project_id === id).map((one) => one.prefix),
      people_ids: people.filter((one) => one.project_id === id).map((one) => one.user_id),
    })
  },
  async views(tx, ids) {
    const pins = await tx.all(pinsOfViews, { ids })
    return (id) => ({
      pinned_by: pins
        .filter((one) => one.view_id === id)
        .map(({ user_id, position }) => ({ user_id, position })),
    })
  },
  async tasks(tx, ids) {
    const numbers = await tx.all(formerNumbers, { ids })
    const blockers = await tx.all(blockersOf, { ids })
    return (id) => ({
      former_numbers: numbers
        .filter((one) => one.task_id === id)
        .map(({ project_id, number }) => ({ project_id, number })),
      blocked_by_ids: blockers.filter((one) => one.task_id === id).map((one) => one.blocker_id),
    })
  },
}

type Some = Scoped<{ ids: readonly string[] }>

const formerPrefixes = query((db, $: Some, { among }) =>
  db
    .selectFrom('project_prefixes')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'project_prefixes.workspace_id')
        .onRef('projects.id', '=', 'project_prefixes.project_id'),
    )
    .select(['project_prefixes.project_id', 'project_prefixes.prefix'])
    .where('project_prefixes.workspace_id', '=', $.workspace_id)
    .where(among('project_prefixes.project_id', $.ids))
    .whereRef('project_prefixes.prefix', '<>', 'projects.prefix')
    .orderBy('project_prefixes.prefix'),
)

const peopleOfProjects = query((db, $: Some, { among }) =>
  db
    .selectFrom('project_people')
    .select(['project_id', 'user_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('project_people.project_id', $.ids))
    .orderBy('user_id'),
)

const pinsOfViews = query((db, $: Some, { among }) =>
  db
    .selectFrom('view_pins')
    .select(['view_id', 'user_id', 'position'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('view_pins.view_id', $.ids))
    .orderBy('user_id'),
)

const formerNumbers = query((db, $: Some, { among }) =>
  db
    .selectFrom('task_numbers')
    .select(['task_id', 'project_id', 'number'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('task_numbers.task_id', $.ids))
    .orderBy('project_id'),
)

/** Deleted ones too, which no task shows. */
const blockersOf = query((db, $: Some, { among }) =>
  db
    .selectFrom('task_blocks')
    .select(['task_id', 'blocker_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('task_blocks.task_id', $.ids))
    .orderBy('blocker_id'),
)
