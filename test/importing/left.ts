import { sql } from 'kysely'
import { NOBODY } from '#core/actor.ts'
import type { Told } from '#core/ring.ts'
import type { Storage } from '#core/tx.ts'
import { queryOfAll } from '#storage/statement.ts'

/** What an import writes to, but for words that are found by searching. */
const TABLES = [
  ...([
    'projects',
    'project_prefixes',
    'project_people',
    'tags',
    'tasks',
    'task_assignees',
  ] as const),
  ...(['task_tags', 'task_blocks', 'comments', 'activity', 'events', 'notifications'] as const),
  ...(['task_watches', 'imports', 'import_rows'] as const),
]
type Table = (typeof TABLES)[number]

/** What belongs to how the work was done, not to what came of it. */
const PASSING: readonly string[] = ['search_id', 'shown', 'runner', 'runner_until', 'timezone']
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const ID = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g

const rowsIn = (table: Table) =>
  queryOfAll((db, $: { workspace: string }) =>
    db.selectFrom(table).selectAll().where(sql<boolean>`workspace_id = ${$.workspace}`),
  )

/**
 * All that a workspace holds and all that was told of it, as text in which ids are numbered in the order in
 * which they were made, and times are left out: the same work leaves the same text.
 */
export async function leftIn(
  storage: Storage,
  workspace: string,
  heard: readonly Told[],
): Promise<string[]> {
  const lines: string[] = []
  for (const table of TABLES) {
    const rows = await storage.read(NOBODY, (tx) => tx.all(rowsIn(table), { workspace }))
    for (const row of rows) lines.push(`${table} ${textOf(row)}`)
  }
  for (const { notice } of heard) {
    const { seq: _, ...told } = JSON.parse(JSON.stringify(notice)) as Record<string, unknown>
    lines.push(`notice ${textOf(told)}`)
  }
  return numbered(lines)
}

function textOf(row: object): string {
  const entries = Object.entries(row).filter(([name]) => !PASSING.includes(name))
  return JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** In the order of their text, but for what is told, which has an order of its own. */
function numbered(lines: readonly string[]): string[] {
  const ids = new Set(lines.flatMap((line) => line.match(ID) ?? []))
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const id of [...ids].toSorted()) {
    const kind = id.slice(0, 3)
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    names.set(id, `${kind} ${count}`)
  }
  const texts = lines.map((line) =>
    line.replace(ID, (id) => names.get(id) ?? id).replace(TIME, 'then'),
  )
  const isTold = (line: string) => line.startsWith('notice ')
  return [...texts.filter((line) => !isTold(line)).toSorted(), ...texts.filter(isTold)]
}
