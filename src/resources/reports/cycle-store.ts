import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '#storage/dialect.ts'
import { compiled, query, shaped } from '#storage/statement.ts'
import type { CycleReport, EstimateReport } from './contract.ts'
import { type Bound, CHANGED, changed, type Shape, tasksFrom, within } from './store.ts'

/**
 * The tasks completed in the range, and as `begun` when work on each began: the first time that its
 * activity shows it in a started status, empty if it was made in one, null if it never was. For few tasks
 * PostgreSQL looks at the activity of each, for many at all of it at once. SQLite does not turn a left join
 * around: otherwise it would look for each activity among all tasks.
 */
function cycles($: Bound, dialect: Dialect, shape: Shape): RawBuilder<unknown> {
  const own = sql`ended.id, ended.created_at, ended.completed_at`
  const at = (side: 'from' | 'to') =>
    sql`min(case when ${changed(dialect, side)} = 'started' then done.created_at end)`
  return sql`ended as materialized (
      select tasks.id, tasks.created_at, tasks.completed_at ${endedFrom($, dialect, shape)}
    ), cycles as materialized (
      select ${own},
        case when ${at('from')} < coalesce(${at('to')}, '~') then '' else ${at('to')} end as begun
      from ended left join activity as done
        on done.workspace_id = ${$.workspace_id} and done.task_id = ended.id and ${CHANGED}
      group by ${own}
    )`
}

const endedFrom = ($: Bound, dialect: Dialect, shape: Shape) =>
  sql`${tasksFrom($, dialect, shape)} and ${within('tasks.completed_at', $)}`

/** Whole seconds from one timestamp to another, cut off before they are subtracted; never below 0. */
function secondsBetween({ engine }: Dialect, from: RawBuilder<unknown>, to: RawBuilder<unknown>) {
  if (engine === 'sqlite') return sql<number>`max(unixepoch(${to}) - unixepoch(${from}), 0)`
  // Without their fractions and zones, which are all UTC, they take PostgreSQL half as long.
  const epoch = (at: RawBuilder<unknown>) =>
    sql`date_part('epoch', substr(${at}, 1, 19)::timestamp)`
  return sql<number>`greatest(${epoch(to)} - ${epoch(from)}, 0)::bigint`
}

const seconds = (dialect: Dialect) =>
  secondsBetween(
    dialect,
    sql`coalesce(nullif(cycles.begun, ''), cycles.created_at)`,
    sql`cycles.completed_at`,
  )

type Limited = Bound & { most: number }

/**
 * The figures of all tasks at hand, in each row beside one of the last that were completed (`newest`); one
 * row without a task if there is none. So all is read once, and is of one state.
 */
const figuresBeside = (columns: RawBuilder<unknown>, $: Limited) => sql`
  select figures.*, tasks.id, projects.prefix || '-' || cast(tasks.number as text) as short_id,
    tasks.title, tasks.completed_at, ${columns}
  from figures left join newest on newest.id is not null
    left join tasks on tasks.workspace_id = ${$.workspace_id} and tasks.id = newest.id
    left join projects on projects.workspace_id = ${$.workspace_id} and projects.id = tasks.project_id
  order by newest.completed_at desc, newest.id desc`

/** The figures of a report without its points. */
type CycleFigures = Pick<CycleReport, 'count' | 'unstarted_count' | 'p50' | 'p85'>

/** A task that was completed, and what it took; `is_started` is 0 or 1. */
type CycleRow = Omit<CycleReport['points'][number], 'is_started'> & { is_started: number }

/** Rows of one report: its figures in each, and the fields of a point, which are null where there is none. */
export type Beside<F, P> = F & (P | { id: null })

/** How many there are, and within how many seconds 50 and 85 % of them were done (by nearest rank). */
export const cycleTimes = shaped((shape: Shape) =>
  query((db, $: Limited, dialect) =>
    compiled<Beside<CycleFigures, CycleRow>>(
      db,
      sql`with ${cycles($, dialect, shape)}, timed as materialized (
          select cycles.id, cycles.completed_at, cycles.begun, ${seconds(dialect)} as seconds
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
        ${figuresBeside(
          sql`newest.seconds, case when newest.begun is null then 0 else 1 end as is_started`,
          $,
        )}`,
    ),
  ),
)

type EstimateFigures = Pick<EstimateReport, 'count' | 'over'> &
  Record<'estimate_sum' | 'spent_sum', number>

/** What the tasks with an estimate that were completed in the range took. */
export const estimated = shaped((shape: Shape) =>
  query((db, $: Limited, dialect) =>
    compiled<Beside<EstimateFigures, EstimateReport['points'][number]>>(
      db,
      sql`with ended as materialized (
          select tasks.id, tasks.completed_at, tasks.estimate_seconds as estimate,
            tasks.time_spent_seconds as spent
          ${endedFrom($, dialect, shape)} and tasks.estimate_seconds > 0
        ), figures as materialized (
          select count(*) as count, count(case when ended.spent > ended.estimate then 1 end) as over,
            cast(coalesce(sum(ended.estimate), 0) as bigint) as estimate_sum,
            cast(coalesce(sum(ended.spent), 0) as bigint) as spent_sum
          from ended
        ), newest as materialized (
          select ended.* from ended order by ended.completed_at desc, ended.id desc limit ${$.most}
        )
        ${figuresBeside(sql`newest.estimate as estimate_seconds, newest.spent as time_spent_seconds`, $)}`,
    ),
  ),
)
