import type { ReadTx } from '#core/transaction.ts'
import { fromJson, type Json, toJson } from '#lib/json.ts'
import type { Activity } from './contract.ts'
import { visibleProjectsByIds } from './store.ts'

/** Fields of a task whose values mean something only in its project, and tell of it. */
const PROJECT_FIELDS = [
  'project_id',
  'number',
  'short_id',
  'status',
  'tag_ids',
  'parent_id',
  'position',
] as const

interface ListedActivity {
  id: string
  kind: string
  json: Json<Activity>
}

/**
 * Empties in the moves of a task what tells of a project that the actor does not see: those who see
 * a task may not see the project that it came from.
 */
export async function hideFormerProjects(tx: ReadTx, rows: readonly ListedActivity[]) {
  const moves = new Map(
    rows.flatMap(({ id, kind, json }) => (kind === 'moved' ? [[id, fromJson(json)]] : [])),
  )
  if (moves.size === 0) return rows
  const ids = [...moves.values()].flatMap(({ changes: { project_id } }) => [
    project_id?.from,
    project_id?.to,
  ])
  const visible = new Set<unknown>(
    (await tx.all(visibleProjectsByIds, { ids: [...new Set(ids)] })).map(({ id }) => id),
  )
  return rows.map((row) => {
    const move = moves.get(row.id)
    return move ? { ...row, json: toJson(withoutInvisible(move, visible)) } : row
  })
}

function withoutInvisible(move: Activity, visible: ReadonlySet<unknown>): Activity {
  const changes = { ...move.changes }
  for (const side of ['from', 'to'] as const) {
    if (visible.has(move.changes.project_id?.[side])) continue
    for (const field of PROJECT_FIELDS) {
      if (changes[field]) changes[field] = { ...changes[field], [side]: null }
    }
  }
  return { ...move, changes }
}
