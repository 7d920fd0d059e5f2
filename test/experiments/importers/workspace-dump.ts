import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Hint } from '#core/changes/hint.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'

/** The tables that an import writes, without the search index. */
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
type ImportTable = (typeof TABLES)[number]

/** Columns that differ between runs although the result is the same. */
const IGNORED_COLUMNS: readonly string[] = [
  // Each batch is one write.
  'change_number',
  'search_id',
  'shown',
  'runner',
  'runner_until',
  'timezone',
]
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const ID = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g

const rowsIn = (table: ImportTable) =>
  unscopedQuery((db, $: { workspace: string }) =>
    db.selectFrom(table).selectAll().where(sql<boolean>`workspace_id = ${$.workspace}`),
  )

/**
 * All rows of a workspace and all hints sent for it, as text. Ids are numbered in the order of
 * their creation and times are replaced, so that the same import gives the same text.
 */
export async function dumpWorkspace(
  storage: Storage,
  workspace: string,
  hints: readonly Hint[],
): Promise<string[]> {
  const lines: string[] = []
  for (const table of TABLES) {
    const rows = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(rowsIn(table), { workspace }))
    for (const row of rows) lines.push(`${table} ${textOf(row)}`)
  }
  for (const { hint } of hints) lines.push(`hint ${textOf(hint)}`)
  return withNumberedIds(lines)
}

function textOf(row: object): string {
  const entries = Object.entries(row).filter(([name]) => !IGNORED_COLUMNS.includes(name))
  return JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** Sorts the rows by their text; the hints keep their own order. */
function withNumberedIds(lines: readonly string[]): string[] {
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
  const isHint = (line: string) => line.startsWith('hint ')
  return [...texts.filter((line) => !isHint(line)).toSorted(), ...texts.filter(isHint)]
}
