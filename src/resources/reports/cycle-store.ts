import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '#storage/dialect.ts'
import { compiled, query, shaped } from '#storage/statement.ts'
import type { CycleReport, EstimateReport } from './contract.ts'
import { type Bound, CHANGED, changed, POINT, type Shape, tasksFrom, within } from './store.ts'

/**
 * When work on the task at hand began: the first time that its activity shows it in a started status,
 * empty if it was made in one, null if it never was.
 */
function startOf($: Bound, dialect: Dialect): RawBuilder<string | null> {
  const at = (side: 'from' | 'to') =>
    sql`min(case when read.${sql.ref(side)} = 'started' then read.created_at end)`
  return sql`(select case when ${at('from')} < coalesce(${at('to')}, '~') then '' else ${at('to')} end
    from (select done.created_at, ${changed(dialect, 'from')} as "from", ${changed(dialect, 'to')} as "to"
      from activity as done
      where done.workspace_id = ${$.workspace_id} and done.task_id = tasks.id and ${CHANGED}) as read)`
}

/** Whole seconds from one timestamp to another, cut off before they are subtracted; never below 0. */
function secondsBetween({ engine }: Dialect, from: RawBuilder<unknown>, to: RawBuilder<unknown>) {
  if (engine === 'sqlite') return sql<number>`max(unixepoch(${to}) - unixepoch(${from}), 0)`
  const epoch = (at: RawBuilder<unknown>) => sql`floor(extract(epoch from ${at}::timestamptz))`
  return sql<number>`greatest(${epoch(to)} - ${epoch(from)}, 0)::bigint`
}

/** The tasks completed in the range, by `since`: when they were begun, as `startOf` tells. */
const cycles = ($: Bound, dialect: Dialect, shape: Shape) => sql`
  select ${POINT}, tasks.created_at, ${startOf($, dialect)} as begun
  ${tasksFrom($, dialect, shape)} and ${within('tasks.completed_at', $)}`

const seconds = (dialect: Dialect) =>
  secondsBetween(
    dialect,
    sql`coalesce(nullif(cycles.begun, ''), cycles.created_at)`,
    sql`cycles.completed_at`,
  )

/** The figures of a report without its points. */
export type CycleFigures = Pick<CycleReport, 'count' | 'unstarted_count' | 'p50' | 'p85'>

/** How many there are, and within how many seconds 50 and 85 % of them were done (by nearest rank). */
export const cycleFigures = shaped((shape: Shape) =>
  query((db, $: Bound, dialect) =>
    compiled<CycleFigures>(
      db,
      sql`with cycles as materialized (${cycles($, dialect, shape)})
        select count(*) as count, count(case when ranked.begun is null then 1 end) as unstarted_count,
          min(case when ranked.place * 100 >= ranked.total * 50 then ranked.seconds end) as p50,
          min(case when ranked.place * 100 >= ranked.total * 85 then ranked.seconds end) as p85
        from (select taken.begun, taken.seconds, count(*) over () as total,
            row_number() over (order by taken.seconds) as place
          from (select cycles.begun, ${seconds(dialect)} as seconds from cycles) as taken) as ranked`,
    ),
  ),
)

interface Limited {
  most: number
}

/** A task that was completed, and what it took; `is_started` is 0 or 1. */
export type CycleRow = Omit<CycleReport['points'][number], 'is_started'> & { is_started: number }

/** The last tasks that were completed in the range. */
export const cyclePoints = shaped((shape: Shape) =>
  query((db, $: Bound & { [K in keyof Limited]: number }, dialect) =>
    compiled<CycleRow>(
      db,
      sql`with cycles as materialized (${cycles($, dialect, shape)}
          order by tasks.completed_at desc, tasks.id desc limit ${$.most})
        select cycles.id, cycles.short_id, cycles.title, cycles.completed_at,
          ${seconds(dialect)} as seconds,
          case when cycles.begun is null then 0 else 1 end as is_started
        from cycles order by cycles.completed_at desc, cycles.id desc`,
    ),
  ),
)

const estimated = ($: Bound, dialect: Dialect, shape: Shape) =>
  sql`${tasksFrom($, dialect, shape)} and ${within('tasks.completed_at', $)}
    and tasks.estimate_seconds > 0`

/** The figures of a report without its points. */
export type EstimateFigures = Omit<EstimateReport, 'points' | 'range'>

export const estimateFigures = shaped((shape: Shape) =>
  query((db, $: Bound, dialect) =>
    compiled<EstimateFigures>(
      db,
      sql`select count(*) as count,
          count(case when tasks.time_spent_seconds > tasks.estimate_seconds then 1 end) as over,
          cast(coalesce(sum(tasks.estimate_seconds), 0) as bigint) as estimate_seconds,
          cast(coalesce(sum(tasks.time_spent_seconds), 0) as bigint) as time_spent_seconds
        ${estimated($, dialect, shape)}`,
    ),
  ),
)

/** The last tasks with an estimate that were completed in the range. */
export const estimatePoints = shaped((shape: Shape) =>
  query((db, $: Bound & { [K in keyof Limited]: number }, dialect) =>
    compiled<EstimateReport['points'][number]>(
      db,
      sql`select ${POINT}, tasks.estimate_seconds, tasks.time_spent_seconds
        ${estimated($, dialect, shape)}
        order by tasks.completed_at desc, tasks.id desc limit ${$.most}`,
    ),
  ),
)
