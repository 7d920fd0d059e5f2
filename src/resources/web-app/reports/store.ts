import { type RawBuilder, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import type { TaskRow } from '#db/schema/tables.ts'

/** Which filters a report has; they determine its statements. */
export interface ReportQueryShape {
  projects: boolean
  members: boolean
  tags: boolean
  /** The number of UTC times at which days of the range begin; see `DayCuts`. */
  cuts: number
}

/** The UTC times, such as `22:00`, at which days begin in the time zone of the user. */
export type DayCuts = Record<`cut_${number}`, string>

/**
 * The values of a report. `since` is the first instant of the range, `until` the first after it.
 */
type ReportValues = DayCuts & {
  project_ids: readonly string[]
  member_ids: readonly string[]
  tag_ids: readonly string[]
  since: string
  until: string
}

type ReportParams = Scoped<ReportValues>

/**
 * The slot of an instant: its UTC day and the number of cuts before it on that day. All instants of
 * a slot are on one day in the time zone of the user, so neither database engine has to know time
 * zones.
 */
const slotOf = (at: RawBuilder<unknown>, $: ReportParams, cuts: number): RawBuilder<string> => {
  const before = Array.from({ length: cuts }, (_, n) => {
    return sql` when substr(${at}, 12, 5) < ${$[`cut_${n}`]} then ${sql.lit(` ${n}`)}`
  })
  const interval = sql`case${sql.join(before, sql``)} else ${sql.lit(` ${cuts}`)} end`
  return sql`substr(${at}, 1, 10) || ${cuts > 0 ? interval : sql.lit(' 0')}`
}

/** The tasks of a report: undeleted, in projects that the actor sees. */
const fromTasks = (
  $: ReportParams,
  { inList }: Dialect,
  { projects, members, tags }: ReportQueryShape,
) => {
  const conditions = [
    projects && inList('projects.id', $.project_ids),
    members &&
      sql`exists (select 1 from task_assignees as who where who.workspace_id = ${$.workspace_id}
        and who.task_id = tasks.id and ${inList('who.user_id', $.member_ids)})`,
    tags &&
      sql`exists (select 1 from task_tags as tagged where tagged.workspace_id = ${$.workspace_id}
        and tagged.task_id = tasks.id and ${inList('tagged.tag_id', $.tag_ids)})`,
  ]
  const clauses = conditions.flatMap((one) => (one ? [sql` and ${one}`] : []))
  return sql`from projects
    inner join tasks on tasks.workspace_id = projects.workspace_id and tasks.project_id = projects.id
    where projects.workspace_id = ${$.workspace_id} and ${isProjectVisible($)} and tasks.deleted_at is null
    ${sql.join(clauses, sql``)}`
}

export type TaskCategory = TaskRow['status_category']

/** Tasks created before the end of the range, or changes of theirs since its beginning, counted. */
export interface FlowStep {
  /**
   * `now` counts tasks by the slot of their creation (empty: before the range) and present
   * category. `made` counts changes by the slot of the task's creation, `moved` by the slot of the
   * change (`~`: after the range).
   */
  by: 'now' | 'made' | 'moved'
  part: string
  was: TaskCategory | null
  became: TaskCategory
  count: number
  /** 1 if the change is inferred: the task is completed or canceled, but has no activity for it. */
  assumed: number
}

/** The category before or after an activity that matches `IS_CATEGORY_CHANGE`. */
const changedCategory = ({ engine }: Dialect, side: 'from' | 'to') => {
  if (engine === 'sqlite')
    return sql<TaskCategory>`done.changes ->> ${sql.lit(`$.status_category.${side}`)}`
  // Parsing JSON takes PostgreSQL five times as long; changesBetween always writes this text.
  const after = sql`split_part(done.changes, '"status_category":{"from":"', 2)`
  return sql<TaskCategory>`split_part(${after}, '"', ${sql.lit(side === 'from' ? 1 : 5)})`
}

/** Matches changes of the category. They are few, so only their JSON is read. */
const IS_CATEGORY_CHANGE = sql`done.changes like '%"status_category":{%'`

/** Present categories and all changes in one statement, and so in one snapshot. */
export const selectFlowSteps = memoizeByShape((shape: ReportQueryShape) =>
  query((db, $: ReportParams, dialect) => {
    const madeSlot = sql`case when tasks.created_at < ${$.since} then ''
      else ${slotOf(sql`tasks.created_at`, $, shape.cuts)} end as made`
    const moved = sql`coalesce(done.created_at, chosen.ended_at)`
    const counted = (by: string) =>
      sql`select ${sql.lit(by)} as by, ${sql.ref(by)} as part, was, became, assumed,
        count(*) as count from steps group by 2, 3, 4, 5`
    const from = fromTasks($, dialect, shape)
    return rawStatement<FlowStep>(
      db,
      sql`with chosen as materialized (
          select tasks.id, tasks.created_at, tasks.status_category,
            coalesce(tasks.completed_at, tasks.canceled_at) as ended_at, ${madeSlot}
          ${from} and tasks.created_at < ${$.until}
        ), steps as materialized (
          select chosen.made, case when ${moved} >= ${$.until} then '~'
            else ${slotOf(moved, $, shape.cuts)} end as moved,
            coalesce(${changedCategory(dialect, 'from')}, 'unstarted') as was,
            coalesce(${changedCategory(dialect, 'to')}, chosen.status_category) as became,
            case when done.id is null then 1 else 0 end as assumed
          from chosen left join activity as done
            on done.workspace_id = ${$.workspace_id} and done.task_id = chosen.id
              and done.created_at >= ${$.since} and ${IS_CATEGORY_CHANGE}
          where done.id is not null
            or (chosen.ended_at >= ${$.since} and chosen.ended_at > chosen.created_at)
        )
        select 'now' as by, made as part, null as was, status_category as became, 0 as assumed,
          count(*) as count from chosen group by 2, 4
        union all ${counted('made')} union all ${counted('moved')}`,
    )
  }),
)

/** How many tasks were created, or completed, in each slot of the range. */
export const selectTaskCounts = memoizeByShape(
  (shape: ReportQueryShape & { what: 'created_at' | 'completed_at' }) =>
    query((db, $: ReportParams, dialect) => {
      const column = `tasks.${shape.what}`
      return rawStatement<{ part: string; count: number }>(
        db,
        sql`select ${slotOf(sql.ref(column), $, shape.cuts)} as part, count(*) as count
        ${fromTasks($, dialect, shape)} and ${isInRange(column, $)} group by 1`,
      )
    }),
)

const isInRange = (column: string, $: ReportParams) =>
  sql`${sql.ref(column)} >= ${$.since} and ${sql.ref(column)} < ${$.until}`

export type { ReportParams }
export { changedCategory, fromTasks, IS_CATEGORY_CHANGE, isInRange }
