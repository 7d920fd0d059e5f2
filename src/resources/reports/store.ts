import { type RawBuilder, sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import type { Dialect } from '#storage/dialect.ts'
import { compiled, query, type Scoped, shaped } from '#storage/statement.ts'
import type { TaskRow } from '#storage/tables.ts'

/** Which filters a report has: what shapes its statements. */
export interface Shape {
  projects: boolean
  members: boolean
  tags: boolean
  /** How many times of the UTC day begin a day of the person's in the range; see `Cuts`. */
  cuts: number
}

/** The times of the UTC day, `22:00` say, at which days begin in the zone of the person. */
export type Cuts = Record<`cut_${number}`, string>

/** The values of a report. Instants are timestamps: the first in the range, and the first after it. */
export type Values = Cuts & {
  project_ids: readonly string[]
  member_ids: readonly string[]
  tag_ids: readonly string[]
  since: string
  until: string
}

type $ = Scoped<Values>

/**
 * The part of a UTC day in which an instant of the range lies: the day, and how many cuts it is after.
 * All of a part is of one day of the person's, wherever they live, and neither engine has to know zones.
 */
const partOf = (at: RawBuilder<unknown>, $: $, cuts: number): RawBuilder<string> => {
  const before = Array.from({ length: cuts }, (_, n) => {
    return sql` when substr(${at}, 12, 5) < ${$[`cut_${n}`]} then ${sql.lit(` ${n}`)}`
  })
  const place = sql`case${sql.join(before, sql``)} else ${sql.lit(` ${cuts}`)} end`
  return sql`substr(${at}, 1, 10) || ${cuts > 0 ? place : sql.lit(' 0')}`
}

/** The tasks of a report: those that are there, in projects that the actor sees. */
const tasksFrom = ($: $, { among }: Dialect, { projects, members, tags }: Shape) => {
  const also = [
    projects && among('projects.id', $.project_ids),
    members &&
      sql`exists (select 1 from task_assignees as who where who.workspace_id = ${$.workspace_id}
        and who.task_id = tasks.id and ${among('who.user_id', $.member_ids)})`,
    tags &&
      sql`exists (select 1 from task_tags as tagged where tagged.workspace_id = ${$.workspace_id}
        and tagged.task_id = tasks.id and ${among('tagged.tag_id', $.tag_ids)})`,
  ]
  const given = also.flatMap((one) => (one ? [sql` and ${one}`] : []))
  return sql`from projects
    inner join tasks on tasks.workspace_id = projects.workspace_id and tasks.project_id = projects.id
    where projects.workspace_id = ${$.workspace_id} and ${visible($)} and tasks.deleted_at is null
    ${sql.join(given, sql``)}`
}

export type Category = TaskRow['status_category']

/** Tasks made before the end of the range, and the changes that they went through from its beginning on. */
export interface Step {
  /**
   * `now`: tasks, by the part in which they were made (empty: before the range) and what they are now.
   * Changes: by the part in which the task was made (`made`), and in which it changed (`moved`; `~`:
   * after the range).
   */
  by: 'now' | 'made' | 'moved'
  part: string
  was: Category | null
  became: Category
  count: number
  /** 1: no activity tells of it, but the task is completed or canceled. */
  assumed: number
}

/** What the category was or became in an activity that `CHANGED` finds. */
const changed = ({ engine }: Dialect, side: 'from' | 'to') => {
  if (engine === 'sqlite')
    return sql<Category>`done.changes ->> ${sql.lit(`$.status_category.${side}`)}`
  // As JSON it takes PostgreSQL five times as long; the text is as changesBetween makes it.
  const after = sql`split_part(done.changes, '"status_category":{"from":"', 2)`
  return sql<Category>`split_part(${after}, '"', ${sql.lit(side === 'from' ? 1 : 5)})`
}

/** Few activities are changes of the status: only theirs is worth reading as JSON. */
const CHANGED = sql`done.changes like '%"status_category":{%'`

/** What the tasks are and how they came there, in one statement: so it is of one state. */
export const stepsOf = shaped((shape: Shape) =>
  query((db, $: $, dialect) => {
    const made = sql`case when tasks.created_at < ${$.since} then ''
      else ${partOf(sql`tasks.created_at`, $, shape.cuts)} end as made`
    const moved = sql`coalesce(done.created_at, chosen.ended_at)`
    const counted = (by: string) =>
      sql`select ${sql.lit(by)} as by, ${sql.ref(by)} as part, was, became, assumed,
        count(*) as count from steps group by 2, 3, 4, 5`
    const from = tasksFrom($, dialect, shape)
    return compiled<Step>(
      db,
      sql`with chosen as materialized (
          select tasks.id, tasks.created_at, tasks.status_category,
            coalesce(tasks.completed_at, tasks.canceled_at) as ended_at, ${made}
          ${from} and tasks.created_at < ${$.until}
        ), steps as materialized (
          select chosen.made, case when ${moved} >= ${$.until} then '~'
            else ${partOf(moved, $, shape.cuts)} end as moved,
            coalesce(${changed(dialect, 'from')}, 'unstarted') as was,
            coalesce(${changed(dialect, 'to')}, chosen.status_category) as became,
            case when done.id is null then 1 else 0 end as assumed
          from chosen left join activity as done
            on done.workspace_id = ${$.workspace_id} and done.task_id = chosen.id
              and done.created_at >= ${$.since} and ${CHANGED}
          where done.id is not null
            or (chosen.ended_at >= ${$.since} and chosen.ended_at > chosen.created_at)
        )
        select 'now' as by, made as part, null as was, status_category as became, 0 as assumed,
          count(*) as count from chosen group by 2, 4
        union all ${counted('made')} union all ${counted('moved')}`,
    )
  }),
)

/** How many tasks were created, or completed, in each part of the range. */
export const countedIn = shaped((shape: Shape & { what: 'created_at' | 'completed_at' }) =>
  query((db, $: $, dialect) => {
    const column = `tasks.${shape.what}`
    return compiled<{ part: string; count: number }>(
      db,
      sql`select ${partOf(sql.ref(column), $, shape.cuts)} as part, count(*) as count
        ${tasksFrom($, dialect, shape)} and ${within(column, $)} group by 1`,
    )
  }),
)

const within = (column: string, $: $) =>
  sql`${sql.ref(column)} >= ${$.since} and ${sql.ref(column)} < ${$.until}`

export type { $ as Bound }
export { CHANGED, changed, tasksFrom, within }
