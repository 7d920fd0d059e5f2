import type { DatabaseEngine } from '#core/transaction.ts'
import { toIndexWords } from '#db/tasks/search-words.ts'

/** Runs SQL without parameters on the database of a server, beside it. */
export interface SqlConsole {
  rows<R>(sql: string): Promise<R[]>
  run(sql: string): Promise<void>
}

interface MultipliedWorkspace {
  workspace: string
  project: string
  webhook: string
  /** Tasks of the project that are copied with all that belongs to them. */
  templates: readonly string[]
}

/**
 * Copies tasks of a workspace `times` times with their comments, time entries, attachments, activity,
 * notifications, events and deliveries, by one statement for each table: creating 100,000 through the
 * API would take an hour. Copies have the time of their template and ids after its own.
 */
export async function multiplyBySql(
  database: SqlConsole,
  engine: DatabaseEngine,
  { workspace, project, webhook, templates }: MultipliedWorkspace,
  times: number,
): Promise<void> {
  const own = `workspace_id = '${workspace}'`
  const ids = `('${templates.join("', '")}')`
  const [{ step = 0 } = {}] = await database.rows<{ step: number }>(
    `select max(number) as step from tasks where ${own} and project_id = '${project}'`,
  )
  const [{ sequence = 0, change = 0 } = {}] = await database.rows<{
    sequence: number
    change: number
  }>(
    `select last_sequence as sequence, last_change_number as change from workspaces where id = '${workspace}'`,
  )
  const six = `substr(cast(1000000 + n.i as text), 2)`
  const time = templates[0]?.slice(4, 14) ?? ''
  const copied = (column: string) =>
    `substr(${column}, 1, 4) || '${time}' || ${six} || substr(${column}, 21)`
  const copy = async (
    table: string,
    where: string,
    changed: Record<string, string>,
    from = `${table} as one`,
  ) => {
    const columns = await columnsOf(database, engine, table)
    const values = columns.map((name) => changed[name] ?? `one.${name}`)
    // Counted by its own statement, because PostgreSQL expects few rows of a recursive one.
    await database.run(`insert into ${table} (${columns.join(', ')})
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${times})
      select ${values.join(', ')} from n cross join ${from} where one.${own} and ${where}`)
  }
  const ofTask = `one.task_id in ${ids}`
  const change_number = `case when one.change_number = 0 then 0 else ${change} + n.i end`
  const child = { id: copied('one.id'), task_id: copied('one.task_id') }

  const indexes = await readIndexes(database, engine)
  for (const { name } of indexes) await database.run(`drop index ${name}`)
  await copy('tasks', `one.id in ${ids}`, {
    id: copied('one.id'),
    number: `one.number + n.i * ${step}`,
    // A rank of `m` has thirteen digits.
    position: `'m' || ${six} || substr(cast(10000000 + one.number as text), 2)`,
    due_date: `case when one.due_date is null then null
      else '2026-' || substr(cast(101 + n.i % 12 as text), 2) || '-' || substr(cast(101 + n.i % 28 as text), 2) end`,
    updated_at: `'2027-01-' || substr(cast(101 + n.i % 28 as text), 2) || 'T00:00:00.' || substr(cast(1000 + n.i % 1000 as text), 2) || 'Z'`,
    change_number,
  })
  await copy('task_assignees', ofTask, {
    task_id: child.task_id,
    due_date: `(select due_date from tasks where tasks.${own} and tasks.id = ${child.task_id})`,
  })
  await copy('task_tags', ofTask, { task_id: child.task_id })
  await copy('task_watches', ofTask, { task_id: child.task_id })
  for (const table of ['comments', 'time_entries', 'attachments']) {
    await copy(table, ofTask, { ...child, change_number })
  }
  await copy('activity', ofTask, child)
  await copy('notifications', ofTask, { ...child, key: `one.key || ${six}` })
  const [{ events = 0 } = {}] = await database.rows<{ events: number }>(
    `select count(*) as events from events where ${own} and subject_id in ${ids}`,
  )
  const numberedEvents = `(select events.*, row_number() over (order by sequence) as place from events
    where ${own} and subject_id in ${ids}) as one`
  await copy(
    'events',
    'true',
    {
      id: copied('one.id'),
      subject_id: copied('one.subject_id'),
      sequence: `${sequence} + (n.i - 1) * ${events} + one.place`,
      payload: `'{"id":"' || ${copied('one.id')} || '"}'`,
    },
    numberedEvents,
  )
  await copy('deliveries', `one.webhook_id = '${webhook}'`, {
    id: copied('one.id'),
    event_id: copied('one.event_id'),
  })
  const tasks = await database.rows<{ number: number; title: string }>(
    `select number, title from tasks where ${own} and id in ${ids}`,
  )
  for (const { number, title } of tasks) {
    const words = toIndexWords(workspace, `${title} w`).replace(/w$/, '')
    const copies = `tasks where ${own} and project_id = '${project}'
      and number > ${step} and number % ${step} = ${number % step}`
    const text = `'${words}w' || number`
    await database.run(
      engine === 'sqlite'
        ? `insert into task_words (rowid, words) select search_id, ${text} from ${copies}`
        : `insert into task_words (workspace_id, task_id, words)
            select workspace_id, id, array_to_tsvector(string_to_array(${text}, ' ')) from ${copies}`,
    )
  }
  // All at once, which takes a fraction of the time of a row after the other.
  for (const { definition } of indexes) await database.run(definition)
  const count = (category: string) => `${category}_count = (select count(*) from tasks
    where ${own} and project_id = projects.id and status_category = '${category}' and deleted_at is null)`
  const categories = ['backlog', 'unstarted', 'started', 'completed', 'canceled']
  await database.run(`update projects set last_number = (select max(number) from tasks
      where ${own} and project_id = projects.id), ${categories.map(count).join(', ')}
    where ${own} and id = '${project}'`)
  await database.run(`update workspaces set last_sequence = last_sequence + ${events * times},
    last_change_number = last_change_number + ${times} where id = '${workspace}'`)
}

/** The tables of which most rows are copied. */
const LARGE_TABLES = `('tasks', 'task_words', 'task_assignees', 'task_tags', 'activity', 'events')`

/** Their indexes, but not those of constraints. */
const readIndexes = (database: SqlConsole, engine: DatabaseEngine) =>
  database.rows<{ name: string; definition: string }>(
    engine === 'sqlite'
      ? `select name, sql as definition from sqlite_schema
          where type = 'index' and sql is not null and tbl_name in ${LARGE_TABLES} order by rowid`
      : `select indexname as name, indexdef as definition from pg_indexes
          where schemaname = current_schema() and tablename in ${LARGE_TABLES}
          and indexname not in (select conname from pg_constraint)`,
  )

async function columnsOf(database: SqlConsole, engine: DatabaseEngine, table: string) {
  const rows = await database.rows<{ name: string }>(
    engine === 'sqlite'
      ? `select name from pragma_table_xinfo('${table}') where hidden = 0 and name <> 'search_id'`
      : `select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = '${table}' and is_generated = 'NEVER'`,
  )
  return rows.map(({ name }) => name)
}
