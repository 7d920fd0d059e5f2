import { type RawBuilder, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import type { PageWindow } from '#db/core/pagination.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import type { Json } from '#lib/json.ts'
import type { TimeGroup, TimeReport } from './contract.ts'

/** Which filters a report has. */
interface TimeFilterShape {
  users: boolean
  projects: boolean
  tags: boolean
  billable: boolean
}

/** Groups and filters of a time report, which determine its statement. */
interface TimeReportShape extends TimeFilterShape {
  /** In the order of `TIME_GROUPS`, so that each combination has one statement. */
  groups: readonly TimeGroup[]
}

/** The values of a time report. Time entries have days, not instants. */
interface TimeReportValues {
  after: string
  before: string
  user_ids: readonly string[]
  project_ids: readonly string[]
  tag_ids: readonly string[]
  billable: number
}

type TimeReportParams = Scoped<TimeReportValues & { most: number }>

/**
 * Entries with a duration, of undeleted tasks in projects that the actor sees. SQLite keeps the
 * order of a cross join; with an inner join it would start with the tasks of a project and scan all
 * entries for each. It reads the days by the index that has all columns, whatever the filters are.
 * Tags are counted, because PostgreSQL would join an `exists` and start with all tasks of a common tag.
 */
const entriesFrom = (
  $: Scoped<TimeReportValues>,
  { inList, withoutIndex, engine }: Dialect,
  { users, projects, tags, billable }: TimeFilterShape,
) => {
  const conditions = [
    projects && inList('projects.id', $.project_ids),
    users && withoutIndex(inList('spent.user_id', $.user_ids)),
    billable && withoutIndex(sql`spent.billable = ${$.billable}`),
    tags &&
      sql`(select count(*) from task_tags as tagged where tagged.workspace_id = ${$.workspace_id}
        and tagged.task_id = tasks.id and ${inList('tagged.tag_id', $.tag_ids)}) > 0`,
  ]
  const clauses = conditions.flatMap((one) => (one ? [sql` and ${one}`] : []))
  const joinKind = sql.raw(engine === 'sqlite' ? 'cross join' : 'inner join')
  return sql`from time_entries as spent
    ${joinKind} tasks on tasks.workspace_id = ${$.workspace_id} and tasks.id = spent.task_id
    ${joinKind} projects on projects.workspace_id = ${$.workspace_id} and projects.id = tasks.project_id
    where spent.workspace_id = ${$.workspace_id} and spent.spent_on >= ${$.after}
      and spent.spent_on < ${$.before} and spent.duration_seconds is not null
      and tasks.deleted_at is null and ${isProjectVisible($)} ${sql.join(clauses, sql``)}`
}

/** The columns of each group, of which the first tells its rows apart. */
export const GROUP_COLUMNS = {
  user: ['user_id', 'user_name'],
  project: ['project_id', 'project_name'],
  tag: ['tag_id', 'tag_name'],
  task: ['task_id', 'task_short_id', 'task_title'],
  day: ['day'],
  week: ['week'],
  month: ['month'],
} as const satisfies Record<TimeGroup, readonly (keyof TimeReportRow)[]>

/** What a column of an entry is; a task has several tags, which are joined afterwards. */
const entryColumn = (column: string, { engine }: Dialect): RawBuilder<unknown> => {
  switch (column) {
    case 'project_id':
      return sql`tasks.project_id`
    case 'day':
      return sql`spent.spent_on`
    case 'week':
      return engine === 'sqlite'
        ? sql`date(spent.spent_on, 'weekday 0', '-6 days')`
        : sql`to_char(date_trunc('week', spent.spent_on::timestamp), 'YYYY-MM-DD')`
    case 'month':
      return sql`substr(spent.spent_on, 1, 7) || '-01'`
    default:
      // The plus keeps SQLite from reading all entries of the workspace in the order of the groups.
      return engine === 'sqlite' ? sql`+${sql.ref(`spent.${column}`)}` : sql.ref(`spent.${column}`)
  }
}

/** The names of a group, of which each row has those of its id. */
const NAMES: { readonly [G in TimeGroup]?: { names: RawBuilder<unknown>; table: string } } = {
  user: { names: sql`users.name as user_name`, table: 'users' },
  project: { names: sql`projects.name as project_name`, table: 'projects' },
  tag: { names: sql`tags.name as tag_name`, table: 'tags' },
  task: {
    names: sql`tasks.title as task_title,
      (select prefix from projects where projects.workspace_id = tasks.workspace_id
        and projects.id = tasks.project_id) || '-' || cast(tasks.number as text) as task_short_id`,
    table: 'tasks',
  },
}

const SUMS = ['seconds', 'billable_seconds', 'entries'] as const
const sumOf = (name: string, from: string) =>
  sql`cast(coalesce(sum(${sql.ref(`${from}.${name}`)}), 0) as bigint)`

/** A row of the report, with the sums of all entries, including those beyond the limit of rows. */
type TimeReportRow = TimeReport['rows'][number] &
  Record<'all_seconds' | 'all_billable_seconds' | 'all_entries' | 'row_count', number>

/**
 * Time by group: in the order of days, then the longest first. Rows have the columns of their groups
 * alone. With tags an entry counts in several rows, so all entries are summed before these are joined.
 */
export const selectTimeReport = memoizeByShape((shape: TimeReportShape) =>
  query((db, $: TimeReportParams, dialect) => {
    const { groups } = shape
    const columns = groups.map((group) => GROUP_COLUMNS[group][0])
    const hasTags = groups.includes('tag')
    const summedColumns = hasTags
      ? [...new Set([...columns.filter((column) => column !== 'tag_id'), 'task_id'])]
      : columns
    const list = (parts: readonly RawBuilder<unknown>[]) => sql.join(parts, sql`, `)
    const groupBy = (count: number) =>
      count === 0
        ? sql`having count(*) > 0`
        : sql`group by ${list(Array.from({ length: count }, (_, at) => sql.lit(at + 1)))}`
    const tagRows = sql`select ${list([
      ...columns.map((column) =>
        sql.ref(column === 'tag_id' ? 'tagged.tag_id' : `summed.${column}`),
      ),
      ...SUMS.map((name) => sql`${sumOf(name, 'summed')} as ${sql.ref(name)}`),
    ])} from summed left join task_tags as tagged
        on tagged.workspace_id = ${$.workspace_id} and tagged.task_id = summed.task_id
      ${groupBy(columns.length)}`
    const named = groups.flatMap((group) => {
      const of = NAMES[group]
      return of ? [{ ...of, id: sql.ref(`grouped.${GROUP_COLUMNS[group][0]}`) }] : []
    })
    const joins = named.map(({ table, id }) =>
      table === 'users'
        ? sql`left join users on users.id = ${id}`
        : sql`left join ${sql.table(table)} on ${sql.ref(`${table}.workspace_id`)} = ${$.workspace_id}
            and ${sql.ref(`${table}.id`)} = ${id}`,
    )
    const isDays = (column: string) => !column.endsWith('_id')
    const order = [
      ...columns.filter(isDays).map((column) => sql.ref(`grouped.${column}`)),
      sql`grouped.seconds desc`,
      ...columns.filter((column) => !isDays(column)).map((column) => sql.ref(`grouped.${column}`)),
    ]
    return rawStatement<TimeReportRow>(
      db,
      sql`with summed as materialized (
          select ${list([
            ...summedColumns.map(
              (column) => sql`${entryColumn(column, dialect)} as ${sql.ref(column)}`,
            ),
            sql`${sumOf('duration_seconds', 'spent')} as seconds`,
            sql`cast(coalesce(sum(case spent.billable when 1 then spent.duration_seconds else 0 end), 0) as bigint)
              as billable_seconds`,
            sql`count(*) as entries`,
          ])} ${entriesFrom($, dialect, shape)} ${groupBy(summedColumns.length)}
        )
        select ${list([
          sql`grouped.*`,
          ...named.map(({ names }) => names),
          ...SUMS.map(
            (name) =>
              sql`(select ${sumOf(name, 'summed')} from summed) as ${sql.ref(`all_${name}`)}`,
          ),
          sql`count(*) over () as row_count`,
        ])} from ${hasTags ? sql`(${tagRows})` : sql`summed`} as grouped ${sql.join(joins, sql` `)}
        order by ${list(order)} limit ${$.most}`,
    )
  }),
)

/** A time entry of a report, with what a spreadsheet shows of its task. */
interface ReportedEntry {
  id: string
  spent_on: string
  user_id: string
  project_id: string
  short_id: string
  title: string
  tags: string[]
  duration_seconds: number
  billable: boolean
  note: string | null
}

/** The entries of a report in the order of their days, page by page. */
export const selectReportedEntries = memoizeByShape(
  (shape: TimeFilterShape & { continued: boolean }) =>
    query((db, $: Scoped<TimeReportValues & PageWindow>, dialect) => {
      const isSqlite = dialect.engine === 'sqlite'
      const list = sql.raw(isSqlite ? 'json_group_array' : 'json_agg')
      const names = sql`(select ${list}(tags.name order by tags.name_key) from task_tags as tagged
        inner join tags on tags.workspace_id = ${$.workspace_id} and tags.id = tagged.tag_id
        where tagged.workspace_id = ${$.workspace_id} and tagged.task_id = tasks.id)`
      const json = dialect.json<ReportedEntry>('spent', {
        id: 'word',
        spent_on: 'word',
        user_id: 'word',
        project_id: sql.ref('tasks.project_id'),
        short_id: { word: [sql.ref('projects.prefix'), '-', sql`cast(tasks.number as text)`] },
        title: sql.ref('tasks.title'),
        tags: isSqlite ? sql`json(${names})` : sql`coalesce(${names}, '[]'::json)`,
        duration_seconds: 'whole',
        billable: 'flag',
        note: 'plain',
      })
      const afterCursor = sql`and (spent.spent_on, spent.id) > (${$.after_key}, ${$.after_id})`
      return rawStatement<{ id: string; key: string; json: Json<ReportedEntry> }>(
        db,
        sql`select spent.id, spent.spent_on as key, ${json} as json
          ${entriesFrom($, dialect, shape)} ${shape.continued ? afterCursor : sql``}
          order by spent.spent_on, spent.id limit ${$.limit}`,
      )
    }),
)
