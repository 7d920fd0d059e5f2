import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'

/** Which filters a time report has; they determine its statements. */
export interface TimeQueryShape {
  projects: boolean
  members: boolean
  tags: boolean
}

/** The values of a time report. Time entries have days, not instants. */
export interface TimeReportValues {
  after: string
  before: string
  project_ids: readonly string[]
  member_ids: readonly string[]
  tag_ids: readonly string[]
}

type TimeReportParams = Scoped<TimeReportValues>

/**
 * Entries with a duration, of undeleted tasks in projects that the actor sees. SQLite keeps the
 * order of a cross join; with an inner join it would start with the tasks of a project and scan all
 * entries for each.
 */
const entriesFrom = (
  $: TimeReportParams,
  { inList, engine }: Dialect,
  { projects, members, tags }: TimeQueryShape,
) => {
  const conditions = [
    projects && inList('projects.id', $.project_ids),
    members && inList('spent.user_id', $.member_ids),
    tags &&
      sql`exists (select 1 from task_tags as tagged where tagged.workspace_id = ${$.workspace_id}
        and tagged.task_id = tasks.id and ${inList('tagged.tag_id', $.tag_ids)})`,
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

/** A row of the report, with the sums of all rows, including those beyond the limit. */
export interface TimeReportRow {
  user_id: string
  project_id: string
  seconds: number
  billable_seconds: number
  entries: number
  all_seconds: number
  all_billable_seconds: number
  row_count: number
}

/** Time by user and project, longest first. */
export const selectTimeSpent = memoizeByShape((shape: TimeQueryShape) =>
  query((db, $: TimeReportParams & { most: number }, dialect) =>
    rawStatement<TimeReportRow>(
      db,
      sql`select summed.*, cast(sum(summed.seconds) over () as bigint) as all_seconds,
          cast(sum(summed.billable_seconds) over () as bigint) as all_billable_seconds,
          count(*) over () as row_count
        from (select spent.user_id, tasks.project_id,
            cast(sum(spent.duration_seconds) as bigint) as seconds,
            cast(sum(case spent.billable when 1 then spent.duration_seconds else 0 end) as bigint)
              as billable_seconds,
            count(*) as entries
          ${entriesFrom($, dialect, shape)} group by 1, 2) as summed
        order by summed.seconds desc, summed.user_id, summed.project_id limit ${$.most}`,
    ),
  ),
)
