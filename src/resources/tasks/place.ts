import type { ReadTx, WriteTx } from '#core/tx.ts'
import { rankBetween, ranksBetween } from '#lib/rank.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import { lastPosition, setTask } from './store.ts'
import { noteDerived } from './tell.ts'

/** The longest rank, and the longest that respacing leaves (contract 6.2). */
const LONGEST = 250
const ROOMY = 50
const FIRST_WINDOW = 64

/** The rank behind all tasks of a project. */
export async function endOf(tx: ReadTx, project_id: string): Promise<string> {
  const last = await tx.one(lastPosition, { project_id })
  return rankBetween(last?.position, undefined)
}

/** Beside which task a task is placed, and on which side. */
export interface Place {
  side: 'before' | 'after'
  project_id: string
  beside: { id: string; position: string }
  /** The task to be placed; null for a new one. */
  id: string | null
  position: string | null
}

/**
 * The rank immediately before or after a task; the present one where the task stands there already.
 * Deleted tasks keep their ranks, so a new one is found beside them too.
 */
export async function rankAt(tx: WriteTx, place: Place): Promise<string> {
  const { side, project_id, beside, position } = place
  const id = place.id ?? ''
  const neighbour = async (live: boolean) => {
    const [row] = await tx.all(next({ side, live }), { ...from(beside.position), project_id, id })
    return row?.position
  }
  const live = await neighbour(true)
  if (position !== null && between(side, live, beside.position, position)) return position
  const other = await neighbour(false)
  const rank =
    side === 'before' ? rankBetween(other, beside.position) : rankBetween(beside.position, other)
  return rank.length <= LONGEST ? rank : respaced(tx, place)
}

const from = (position: string) => ({ position, limit: 1 })

function between(side: Place['side'], far: string | undefined, near: string, position: string) {
  if (side === 'before') return position < near && (far === undefined || position > far)
  return position > near && (far === undefined || position < far)
}

/**
 * Spreads the ranks around a place anew, in the same order, over a window that grows until they are
 * short again; gives the rank of the place. A task's version does not tell of it.
 */
async function respaced(tx: WriteTx, { side, project_id, beside, id }: Place): Promise<string> {
  for (let width = FIRST_WINDOW; ; width *= 2) {
    const around = { position: beside.position, project_id, id: id ?? '', limit: width }
    const down = await tx.all(next({ side: 'before', live: false }), around)
    const up = await tx.all(next({ side: 'after', live: false }), around)
    const low = down.length === width ? down.pop()?.position : undefined
    const high = up.length === width ? up.pop()?.position : undefined
    const row = [...down.toReversed(), beside, ...up]
    const at = down.length + (side === 'before' ? 0 : 1)
    const ranks = ranksBetween(low, high, row.length + 1)
    const fits = ranks.every((rank) => rank.length <= ROOMY)
    if (!fits && (low !== undefined || high !== undefined)) continue
    const [free = ''] = ranks.splice(at, 1)
    if (id !== null) await tx.run(setTask(['position']), { id, position: `~${id}` })
    await setRanks(tx, project_id, row, ranks)
    if (id !== null) await tx.run(setTask(['position']), { id, position: free })
    return free
  }
}

/** In two steps, because no two tasks may have the same rank, not even for a moment. */
async function setRanks(
  tx: WriteTx,
  project_id: string,
  row: readonly { id: string }[],
  ranks: readonly string[],
) {
  const set = setTask(['position'])
  for (const { id } of row) await tx.run(set, { id, position: `~${id}` })
  for (const [at, { id }] of row.entries()) {
    await tx.run(set, { id, position: ranks[at] ?? '' })
    noteDerived(tx, id, project_id)
  }
}

interface Next {
  side: Place['side']
  /** Leave deleted tasks out. */
  live: boolean
}

/** The tasks that stand next to a rank on one side, the nearest first, without a given one. */
const next = shaped(({ side, live }: Next) =>
  query((db, $: Scoped<{ project_id: string; position: string; id: string; limit: number }>) => {
    const found = db
      .selectFrom('tasks')
      .select(['id', 'position'])
      .where('workspace_id', '=', $.workspace_id)
      .where('project_id', '=', $.project_id)
      .where('position', side === 'before' ? '<' : '>', $.position)
      .where('id', '<>', $.id)
      .orderBy('position', side === 'before' ? 'desc' : 'asc')
      .limit($.limit)
    return live ? found.where('deleted_at', 'is', null) : found
  }),
)
