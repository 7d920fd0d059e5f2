import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { toIndexWords, toSearchableText } from '#db/tasks/search-words.ts'
import { firstIdAt } from '#lib/id.ts'
import { STATUS_CATEGORIES } from '#resources/projects/contract.ts'
import { RARE_STATUS, type SeededWorkspace } from './seed.ts'

const TIME_END = firstIdAt('tsk', 0).length

/**
 * Makes a seeded project `times` as large by copies of its tasks, which a server that creates them would
 * take an hour for. Each series of copies was created before the one before it, in the same order. Tasks with
 * rare values stay as few as they are, and events are not copied. No server may run on the database.
 */
export function multiplyTasks(
  dataDir: string,
  { workspace, project, parent }: SeededWorkspace,
  times: number,
): void {
  if (times < 2) return
  const db = new DatabaseSync(join(dataDir, DATABASE_FILENAME), {
    enableForeignKeyConstraints: false,
  })
  db.exec('pragma synchronous = off; pragma cache_size = -262144; pragma temp_store = memory')
  const of = { workspace, project }
  const seeded = 'workspace_id = $workspace and project_id = $project'
  const read = db.prepare(`select max(number) as count, max(search_id) as last,
    min(created_at) as first_at, max(created_at) filter (where id <> $parent) as last_at from tasks where ${seeded}`)
  const { count, last, first_at, last_at } = read.get({ ...of, parent }) ?? {}
  const span = Date.parse(String(last_at)) - Date.parse(String(first_at))
  let series = 0
  const earlier = (time: string) => Date.parse(time) - series * (span + 60_000)
  const define = (name: string, call: (...values: string[]) => string) =>
    db.function(name, { varargs: true }, (...values) => call(...values.map(String)))
  define('earlier_time', (time) => new Date(earlier(time)).toISOString())
  define('earlier_id', (id, created) => firstIdAt('tsk', earlier(created)) + id.slice(TIME_END))
  define('words_of', (title, description) =>
    toIndexWords(workspace, toSearchableText(title, description || null)),
  )

  const columns = db
    .prepare(`select name from pragma_table_xinfo('tasks') where hidden = 0`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name !== 'search_id')
  const earlierTime = (column: string) =>
    `case when ${column} is not null then earlier_time(${column}) end`
  const copied: Record<string, string> = {
    id: 'earlier_id(id, created_at)',
    number: 'number + $series * $count',
    position: `position || 'V' || $series`,
    external_id: `external_id || '-' || $series`,
    ...Object.fromEntries(
      ['created_at', 'updated_at', 'completed_at', 'canceled_at'].map((column) => [
        column,
        earlierTime(column),
      ]),
    ),
  }
  db.exec('begin')
  for (series = 1; series < times; series += 1) {
    const copy = db.prepare(`insert into tasks (${columns})
      select ${columns.map((name) => copied[name] ?? name)} from tasks
      where ${seeded} and number <= $count and id <> $parent and status <> $rare order by id`)
    copy.run({ ...of, series, count: Number(count), parent, rare: RARE_STATUS })
  }
  const copies = 'from tasks where search_id > $last'
  const insert = (sql: string) => db.prepare(`insert into ${sql}`).run({ last: Number(last) })
  insert(`task_words (rowid, words) select search_id, words_of(title, description) ${copies}`)
  insert(`task_assignees (workspace_id, user_id, task_id, due_date)
    select workspace_id, value, tasks.id, due_date ${linked('assignee_ids')} order by 1, 2, 3`)
  insert(`task_tags (workspace_id, tag_id, task_id)
    select workspace_id, value, tasks.id ${linked('tag_ids')} order by 1, 2, 3`)
  const counters = STATUS_CATEGORIES.map(
    (category) => `${category}_count = (select count(*) from tasks
      where ${seeded} and status_category = '${category}')`,
  )
  const number = `(select max(number) from tasks where ${seeded})`
  db.prepare(`update projects set last_number = ${number}, ${counters}
    where workspace_id = $workspace and id = $project`).run(of)
  db.exec('commit')
  db.close()
}

const linked = (ids: string) =>
  `from tasks cross join json_each(tasks.${ids}) where search_id > $last`
