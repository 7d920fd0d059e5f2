import { DatabaseSync } from 'node:sqlite'
import type { TrackedWrite } from './http-writers.ts'

type DatabaseRow = Record<string, unknown>

/**
 * Compares a database with the log of its clients. Returns acknowledged writes that are lost,
 * writes that took effect twice, gaps in numbers and sequences, and writes of which only a part
 * exists. With `before`, only writes that were acknowledged until then have to exist.
 */
export function findDatabaseFaults(
  path: string,
  log: readonly TrackedWrite[],
  before?: bigint,
): string[] {
  const db = new DatabaseSync(path)
  const query = (sql: string): DatabaseRow[] => db.prepare(sql).all()
  const wrong: string[] = []
  try {
    // The check itself needs no durability, and flushes would make it slow.
    db.exec('pragma synchronous = off')
    for (const row of query('pragma integrity_check')) {
      if (row.integrity_check !== 'ok') wrong.push(`integrity: ${row.integrity_check}`)
    }
    for (const row of query('pragma foreign_key_check')) wrong.push(`orphan in ${row.table}`)
    wrong.push(...findLostWrites(query, log, before), ...findTornWrites(query))
  } catch (error) {
    wrong.push(String(error))
  } finally {
    db.close()
  }
  return wrong
}

function findLostWrites(
  query: (sql: string) => DatabaseRow[],
  log: readonly TrackedWrite[],
  before?: bigint,
): string[] {
  const tasks = new Map<unknown, DatabaseRow[]>()
  for (const row of query('select title, id, number, description from tasks')) {
    tasks.set(row.title, [...(tasks.get(row.title) ?? []), row])
  }
  const keys = new Set(query('select key from replies').map(({ key }) => key))
  return log.flatMap(({ key, title, id, number, ackedAt, description, changing }) => {
    const [task, ...more] = tasks.get(title) ?? []
    if (more.length > 0) return [`done twice: ${title}`]
    if (task && !keys.has(key)) return [`without its key: ${title}`]
    if (ackedAt === undefined || (before !== undefined && ackedAt > before)) return []
    if (!task) return [`lost: ${title}`]
    if (task.id !== id || task.number !== number) return [`another than told: ${title}`]
    const actual = task.description ?? undefined
    const allowed = before === undefined ? [description, changing] : [undefined, changing]
    return allowed.includes(actual as string | undefined) ? [] : [`change lost: ${title}`]
  })
}

/**
 * A write consists of its row, its number, its events in a gapless sequence, and its stored reply.
 */
function findTornWrites(query: (sql: string) => DatabaseRow[]): string[] {
  const wrong: string[] = []
  const counters =
    query(`select p.last_number as last, count(t.id) as tasks, min(t.number) as least,
    max(t.number) as most from projects p left join tasks t on t.project_id = p.id group by p.id`)
  for (const { last, tasks, least, most } of counters) {
    if (tasks !== last) wrong.push(`${tasks} tasks, last number ${last}`)
    if (last !== 0 && (least !== 1 || most !== last)) wrong.push(`numbers ${least} to ${most}`)
  }
  const sequences =
    query(`select w.last_sequence as last, count(e.id) as events, max(e.sequence) as most
    from workspaces w left join events e on e.workspace_id = w.id group by w.id`)
  for (const { last, events, most } of sequences) {
    if (events !== last || (most ?? 0) !== last)
      wrong.push(`${events} events, last sequence ${last}`)
  }
  // Counted for all tasks at once, because no index leads from a task to its events.
  const withoutEvent = query(`select t.title from tasks t left join
    (select workspace_id, subject_id, count(*) as created from events where type = 'task.created'
      group by workspace_id, subject_id) e
    on e.workspace_id = t.workspace_id and e.subject_id = t.id where coalesce(e.created, 0) != 1`)
  for (const { title } of withoutEvent) wrong.push(`without its event, or with two: ${title}`)
  return wrong
}
