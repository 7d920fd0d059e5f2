import { DatabaseSync } from 'node:sqlite'
import type { Asked } from './load.ts'

type Row = Record<string, unknown>

/**
 * What is wrong with a database, given what its clients know: acknowledged writes that are lost,
 * writes that were done twice, numbers and sequences with gaps, writes of which only a part is there.
 * `before`: only what was acknowledged until then has to be there.
 */
export function wrongWith(path: string, log: readonly Asked[], before?: bigint): string[] {
  const db = new DatabaseSync(path)
  const all = (sql: string): Row[] => db.prepare(sql).all()
  const wrong: string[] = []
  try {
    // What is looked at needs no protection from a power cut of today.
    db.exec('pragma synchronous = off')
    for (const row of all('pragma integrity_check')) {
      if (row.integrity_check !== 'ok') wrong.push(`integrity: ${row.integrity_check}`)
    }
    for (const row of all('pragma foreign_key_check')) wrong.push(`orphan in ${row.table}`)
    wrong.push(...lost(all, log, before), ...torn(all))
  } catch (error) {
    wrong.push(String(error))
  } finally {
    db.close()
  }
  return wrong
}

function lost(all: (sql: string) => Row[], log: readonly Asked[], before?: bigint): string[] {
  const tasks = new Map<unknown, Row[]>()
  for (const row of all('select title, id, number, description from tasks')) {
    tasks.set(row.title, [...(tasks.get(row.title) ?? []), row])
  }
  const keys = new Set(all('select key from replies').map(({ key }) => key))
  return log.flatMap(({ key, title, id, number, ackedAt, description, changing }) => {
    const [task, ...more] = tasks.get(title) ?? []
    if (more.length > 0) return [`done twice: ${title}`]
    if (task && !keys.has(key)) return [`without its key: ${title}`]
    if (ackedAt === undefined || (before !== undefined && ackedAt > before)) return []
    if (!task) return [`lost: ${title}`]
    if (task.id !== id || task.number !== number) return [`another than told: ${title}`]
    const shown = task.description ?? undefined
    const told = before === undefined ? [description, changing] : [undefined, changing]
    return told.includes(shown as string | undefined) ? [] : [`change lost: ${title}`]
  })
}

/** A write is its row, its number, its events in a sequence without gaps, and its kept reply. */
function torn(all: (sql: string) => Row[]): string[] {
  const wrong: string[] = []
  const counters = all(`select p.last_number as last, count(t.id) as tasks, min(t.number) as least,
    max(t.number) as most from projects p left join tasks t on t.project_id = p.id group by p.id`)
  for (const { last, tasks, least, most } of counters) {
    if (tasks !== last) wrong.push(`${tasks} tasks, last number ${last}`)
    if (last !== 0 && (least !== 1 || most !== last)) wrong.push(`numbers ${least} to ${most}`)
  }
  const sequences =
    all(`select w.last_sequence as last, count(e.id) as events, max(e.sequence) as most
    from workspaces w left join events e on e.workspace_id = w.id group by w.id`)
  for (const { last, events, most } of sequences) {
    if (events !== last || (most ?? 0) !== last)
      wrong.push(`${events} events, last sequence ${last}`)
  }
  const kinds = all(`select t.title from tasks t where 1 != (select count(*) from events e
    where e.workspace_id = t.workspace_id and e.subject_id = t.id and e.type = 'task.created')`)
  for (const { title } of kinds) wrong.push(`without its event, or with two: ${title}`)
  return wrong
}
