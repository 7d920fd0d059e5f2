import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement } from '#db/core/statement.ts'
import type { CycleReport, EstimateReport } from './contract.ts'
import {
  changedCategory,
  fromTasks,
  IS_CATEGORY_CHANGE,
  isInRange,
  type ReportParams,
  type ReportQueryShape,
} from './store.ts'

/**
 * The tasks completed in the range, with `begun`, when work on each began: the first time that its
 * activity shows it in a started status, empty if it was created in one, null if it never was.
 * PostgreSQL reads the activity of each of few tasks, or all activity at once. The left join keeps
 * SQLite, which would otherwise search all tasks for each activity, from reversing the join.
 */
function cycleTables(
  $: ReportParams,
  dialect: Dialect,
  shape: ReportQueryShape,
): RawBuilder<unknown> {
  const own = sql`ended.id, ended.created_at, ended.completed_at`
  const at = (side: 'from' | 'to') =>
    sql`min(case when ${changedCategory(dialect, side)} = 'started' then done.created_at end)`
  return sql`ended as materialized (
      select tasks.id, tasks.created_at, tasks.completed_at ${fromEnded($, dialect, shape)}
    ), cycles as materialized (
      select ${own},
        case when ${at('from')} < coalesce(${at('to')}, '~') then '' else ${at('to')} end as begun
      from ended left join activity as done
        on done.workspace_id = ${$.workspace_id} and done.task_id = ended.id and ${IS_CATEGORY_CHANGE}
      group by ${own}
    )`
}

const fromEnded = ($: ReportParams, dialect: Dialect, shape: ReportQueryShape) =>
  sql`${fromTasks($, dialect, shape)} and ${isInRange('tasks.completed_at', $)}`

/** Seconds between two timestamps, each truncated to whole seconds first; never negative. */
function secondsBetween({ engine }: Dialect, from: RawBuilder<unknown>, to: RawBuilder<unknown>) {
  if (engine === 'sqlite') return sql<number>`max(unixepoch(${to}) - unixepoch(${from}), 0)`
  // Casting without fraction and zone (all are UTC) takes PostgreSQL half as long.
  const epoch = (at: RawBuilder<unknown>) =>
    sql`date_part('epoch', substr(${at}, 1, 19)::timestamp)`
  return sql<number>`greatest(${epoch(to)} - ${epoch(from)}, 0)::bigint`
}

const cycleSeconds = (dialect: Dialect) =>
  secondsBetween(
    dialect,
    sql`coalesce(nullif(cycles.begun, ''), cycles.created_at)`,
    sql`cycles.completed_at`,
  )

type LimitedReportParams = ReportParams & { most: number }

/**
 * Rows with the figures of all tasks, each joined with one of the tasks completed last (`newest`);
 * a single row without a task if there is none. One statement reads the tasks once, in one
 * snapshot.
 */
const figuresWithPoints = (columns: RawBuilder<unknown>, $: LimitedReportParams) => sql`
  select figures.*, tasks.id, projects.prefix || '-' || cast(tasks.number as text) as short_id,
    tasks.title, tasks.completed_at, ${columns}
  from figures left join newest on newest.id is not null
    left join tasks on tasks.workspace_id = ${$.workspace_id} and tasks.id = newest.id
    left join projects on projects.workspace_id = ${$.workspace_id} and projects.id = tasks.project_id
  order by newest.completed_at desc, newest.id desc`

/** The figures of the report, without its points. */
type CycleFigures = Pick<CycleReport, 'count' | 'unstarted_count' | 'p50' | 'p85'>

/** A completed task and its cycle time; `is_started` is 0 or 1. */
type CycleRow = Omit<CycleReport['points'][number], 'is_started'> & { is_started: number }

/** A row of a report: its figures, and the fields of a point, which are null if there is none. */
type FiguresWithPoint<F, P> = F & (P | { id: null })

/**
 * The number of completed tasks, and the 50th and 85th percentile (nearest rank) of their seconds.
 */
export const selectCycleTimes = memoizeByShape((shape: ReportQueryShape) =>
  query((db, $: LimitedReportParams, dialect) =>
    rawStatement<FiguresWithPoint<CycleFigures, CycleRow>>(
      db,
      sql`with ${cycleTables($, dialect, shape)}, timed as materialized (
          select cycles.id, cycles.completed_at, cycles.begun, ${cycleSeconds(dialect)} as seconds
          from cycles
        ), figures as materialized (
          select count(*) as count, count(case when ranked.begun is null then 1 end) as unstarted_count,
            min(case when ranked.place * 100 >= ranked.total * 50 then ranked.seconds end) as p50,
            min(case when ranked.place * 100 >= ranked.total * 85 then ranked.seconds end) as p85
          from (select timed.begun, timed.seconds, count(*) over () as total,
              row_number() over (order by timed.seconds) as place from timed) as ranked
        ), newest as materialized (
          select timed.* from timed order by timed.completed_at desc, timed.id desc limit ${$.most}
        )
        ${figuresWithPoints(
          sql`newest.seconds, case when newest.begun is null then 0 else 1 end as is_started`,
          $,
        )}`,
    ),
  ),
)

type EstimateFigures = Pick<EstimateReport, 'count' | 'over'> &
  Record<'estimate_sum' | 'spent_sum', number>

/** Estimates and spent time of the tasks that were completed in the range. */
export const selectEstimates = memoizeByShape((shape: ReportQueryShape) =>
  query((db, $: LimitedReportParams, dialect) =>
    rawStatement<FiguresWithPoint<EstimateFigures, EstimateReport['points'][number]>>(
      db,
      sql`with ended as materialized (
          select tasks.id, tasks.completed_at, tasks.estimate_seconds as estimate,
            tasks.time_spent_seconds as spent
          ${fromEnded($, dialect, shape)} and tasks.estimate_seconds > 0
        ), figures as materialized (
          select count(*) as count, count(case when ended.spent > ended.estimate then 1 end) as over,
            cast(coalesce(sum(ended.estimate), 0) as bigint) as estimate_sum,
            cast(coalesce(sum(ended.spent), 0) as bigint) as spent_sum
          from ended
        ), newest as materialized (
          select ended.* from ended order by ended.completed_at desc, ended.id desc limit ${$.most}
        )
        ${figuresWithPoints(sql`newest.estimate as estimate_seconds, newest.spent as time_spent_seconds`, $)}`,
    ),
  ),
)
