import { type RawBuilder, sql } from 'kysely'
import type { DatabaseEngine, ReadTx } from '#core/transaction.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import { giveWay } from '#lib/turns.ts'
import { type ArchiveLines, type ArchivePart, LINE_SCHEMAS } from '../format/line-schemas.ts'

/** Parts whose lines come from the rows of a table. */
type TablePart = Exclude<ArchivePart, 'workspace'>

/** A row as read from the database. */
type ExportedRow = Record<string, string | number | null>

/**
 * Rows that are read together; the largest have a megabyte. A SQLite statement blocks the whole process
 * meanwhile.
 */
const BATCH_SIZE = { sqlite: 10, postgres: 50 }

interface LineSource {
  from: RawBuilder<unknown>
  /** The sort columns. The table has an index on its workspace and these. */
  key: readonly string[]
  /** Columns by field, where their names differ or need their table. */
  renamed?: Readonly<Record<string, string>>
  /** Fields that are read from other tables. */
  gathered?: readonly string[]
  json?: readonly string[]
}

const fromTable = (name: string) => sql`${sql.table(name)}`

const SOURCES: Record<TablePart, LineSource> = {
  members: {
    from: sql`memberships join users on users.id = memberships.user_id`,
    key: ['memberships.user_id'],
    renamed: {
      id: 'memberships.user_id',
      role: 'memberships.role',
      joined_at: 'memberships.joined_at',
      removed_at: 'memberships.removed_at',
      last_active_at: 'memberships.last_active_at',
    },
  },
  projects: {
    from: fromTable('projects'),
    key: ['id'],
    gathered: ['former_prefixes', 'people_ids'],
    json: ['statuses'],
  },
  tags: { from: fromTable('tags'), key: ['id'] },
  views: { from: fromTable('views'), key: ['id'], gathered: ['pinned_by'] },
  templates: { from: fromTable('templates'), key: ['id'], json: ['tasks'] },
  tasks: {
    from: fromTable('tasks'),
    key: ['id'],
    gathered: ['former_numbers', 'blocked_by_ids'],
    json: ['assignee_ids', 'tag_ids', 'recurrence', 'custom_fields', 'metadata'],
  },
  comments: { from: fromTable('comments'), key: ['id'], json: ['mentions'] },
  time_entries: { from: fromTable('time_entries'), key: ['id'] },
  activity: { from: fromTable('activity'), key: ['task_id', 'id'], json: ['changes'] },
  events: {
    from: fromTable('events'),
    key: ['sequence'],
    renamed: { event: 'payload' },
    json: ['event'],
  },
  webhooks: { from: fromTable('webhooks'), key: ['id'], json: ['events', 'project_ids'] },
  applications: { from: fromTable('applications'), key: ['id'], json: ['redirect_uris', 'scopes'] },
  attachments: { from: fromTable('attachments'), key: ['id'], gathered: ['file'] },
}

/** The first rows of a part, or those after the sort columns `after_1` and `after_2`. */
const page = memoizeByShape(({ part, after }: { part: TablePart; after: boolean }) =>
  query((db, $: Scoped<{ after_1: string | number; after_2: string; limit: number }>) => {
    const { from, key, renamed = {}, gathered = [] } = SOURCES[part]
    const fields = Object.keys(LINE_SCHEMAS[part].properties).filter(
      (name) => !gathered.includes(name),
    )
    const columns = fields.map((name) => sql`${sql.ref(renamed[name] ?? name)} as ${sql.ref(name)}`)
    const order = sql.join(key.map((name) => sql.ref(name)))
    const slots = sql.join([$.after_1, $.after_2].slice(0, key.length))
    const workspace = sql.ref(part === 'members' ? 'memberships.workspace_id' : 'workspace_id')
    const key_1 = sql`${sql.ref(key[0] ?? '')} as key_1`
    return rawStatement<ExportedRow>(
      db,
      sql`select ${sql.join([...columns, key_1])} from ${from}
        where ${workspace} = ${$.workspace_id}
          ${after ? sql`and (${order}) > (${slots})` : sql``}
        order by ${order} limit ${$.limit}`,
    )
  }),
)

/**
 * Streams the lines of a part in order. Events begin at `log_from`, the first sequence that the event
 * log still shows.
 */
export async function* readExportLines<P extends TablePart>(
  tx: ReadTx,
  engine: DatabaseEngine,
  part: P,
  log_from: number,
): AsyncGenerator<ArchiveLines[P]> {
  const limit = BATCH_SIZE[engine]
  let args = { after_1: part === 'events' ? log_from - 1 : '', after_2: '', limit }
  for (let after = part === 'events'; ; after = true) {
    const rows = await tx.all(page({ part, after }), args)
    const last = rows.at(-1)
    if (!last) return
    const ids = rows.map(({ id }) => String(id))
    const relatedTo = await LOAD_RELATED[part]?.(tx, ids)
    for (const row of rows) {
      yield toLine(part, { ...row, ...relatedTo?.(String(row.id)) })
      await giveWay()
    }
    if (rows.length < limit) return
    args = { after_1: last.key_1 ?? '', after_2: String(last.id), limit }
  }
}

/** The line of the workspace, if it exists. */
export const workspaceLine = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at'])
    .select(['last_sequence', 'log_from_sequence'])
    .where('id', '=', $.workspace_id),
)

function toLine<P extends TablePart>(part: P, row: Record<string, unknown>): ArchiveLines[P] {
  const { json = [] } = SOURCES[part]
  const line: Record<string, unknown> = { ...row }
  for (const name of json) {
    const text = row[name]
    line[name] = typeof text === 'string' ? JSON.parse(text) : null
  }
  if (part === 'time_entries') line.billable = row.billable === 1
  if (part === 'attachments') line.file = 'here'
  return line as ArchiveLines[P]
}

type LoadRelated = (tx: ReadTx, ids: string[]) => Promise<(id: string) => object>

/** Loads the fields that other tables add to the lines with some ids. */
const LOAD_RELATED: Partial<Record<TablePart, LoadRelated>> = {
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

type ScopedIds = Scoped<{ ids: readonly string[] }>

const formerPrefixes = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('project_prefixes')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'project_prefixes.workspace_id')
        .onRef('projects.id', '=', 'project_prefixes.project_id'),
    )
    .select(['project_prefixes.project_id', 'project_prefixes.prefix'])
    .where('project_prefixes.workspace_id', '=', $.workspace_id)
    .where(inList('project_prefixes.project_id', $.ids))
    .whereRef('project_prefixes.prefix', '<>', 'projects.prefix')
    .orderBy('project_prefixes.prefix'),
)

const peopleOfProjects = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('project_people')
    .select(['project_id', 'user_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('project_people.project_id', $.ids))
    .orderBy('user_id'),
)

const pinsOfViews = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('view_pins')
    .select(['view_id', 'user_id', 'position'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('view_pins.view_id', $.ids))
    .orderBy('user_id'),
)

const formerNumbers = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('task_numbers')
    .select(['task_id', 'project_id', 'number'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('task_numbers.task_id', $.ids))
    .orderBy('project_id'),
)

/** Includes deleted blockers, which tasks do not show. */
const blockersOf = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('task_blocks')
    .select(['task_id', 'blocker_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('task_blocks.task_id', $.ids))
    .orderBy('blocker_id'),
)
