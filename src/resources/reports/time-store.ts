import { sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import type { Dialect } from '#storage/dialect.ts'
import { compiled, query, type Scoped, shaped } from '#storage/statement.ts'
import type { TimeReport } from './contract.ts'

/** Which filters a report of time has: what shapes its statements. */
export interface TimeShape {
  projects: boolean
  members: boolean
  tags: boolean
}

/** The values of a report of time: entries have days, not instants. */
export interface TimeValues {
  after: string
  before: string
  project_ids: readonly string[]
  member_ids: readonly string[]
  tag_ids: readonly string[]
}

type $ = Scoped<TimeValues>

/**
 * Entries with a duration, of tasks that are there, in projects that the actor sees. SQLite keeps the order
 * of a cross join: of one project it would begin with the tasks, and look at all entries for each.
 */
const entriesFrom = ($: $, { among, engine }: Dialect, { projects, members, tags }: TimeShape) => {
  const also = [
    projects && among('projects.id', $.project_ids),
    members && among('spent.user_id', $.member_ids),
    tags &&
      sql`exists (select 1 from task_tags as tagged where tagged.workspace_id = ${$.workspace_id}
        and tagged.task_id = tasks.id and ${among('tagged.tag_id', $.tag_ids)})`,
  ]
  const given = also.flatMap((one) => (one ? [sql` and ${one}`] : []))
  const next = sql.raw(engine === 'sqlite' ? 'cross join' : 'inner join')
  return sql`from time_entries as spent
    ${next} tasks on tasks.workspace_id = ${$.workspace_id} and tasks.id = spent.task_id
    ${next} projects on projects.workspace_id = ${$.workspace_id} and projects.id = tasks.project_id
    where spent.workspace_id = ${$.workspace_id} and spent.spent_on >= ${$.after}
      and spent.spent_on < ${$.before} and spent.duration_seconds is not null
      and tasks.deleted_at is null and ${visible($)} ${sql.join(given, sql``)}`
}

/** A row of the report, with the sums of all rows; those that the limit cuts off are in them. */
export interface TimeRow {
  user_id: string
  project_id: string
  seconds: number
  billable_seconds: number
  entries: number
  all_seconds: number
  all_billable_seconds: number
  row_count: number
}

/** Time by person and project, the longest first. */
export const timeSpent = shaped((shape: TimeShape) =>
  query((db, $: $ & { most: number }, dialect) =>
    compiled<TimeRow>(
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

export type TimeTotals = Pick<TimeReport, 'seconds' | 'billable_seconds' | 'row_count'>
