import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import { rankBetween, ranksBetween } from '#lib/rank.ts'
import { lastPosition, setTaskColumns } from '../store.ts'

/** The longest rank, and the longest that respacing may leave (docs/spec/api.md#task). */
const MAX_RANK_LENGTH = 250
const MAX_RESPACED_LENGTH = 50
const INITIAL_WINDOW = 64

/** The rank after all tasks of a project. */
export async function rankAtEnd(tx: ReadTx, project_id: string): Promise<string> {
  const last = await tx.one(lastPosition, { project_id })
  return rankBetween(last?.position, undefined)
}

/** The neighbor and the side at which a task is placed. */
export interface TaskPlacement {
  side: 'before' | 'after'
  project_id: string
  beside: { id: string; position: string }
  /** The task to be placed; null for a new one. */
  id: string | null
  position: string | null
}

/**
 * A rank immediately before or after a task; the present rank if the task is there already. Deleted
 * tasks keep their ranks, so the new rank must fit between those too.
 */
export async function rankBeside(tx: WriteTx, placement: TaskPlacement): Promise<string> {
  const { side, project_id, beside, position } = placement
  const id = placement.id ?? ''
  const nearestRank = async (live: boolean) => {
    const [row] = await tx.all(neighbors({ side, live }), {
      ...from(beside.position),
      project_id,
      id,
    })
    return row?.position
  }
  const live = await nearestRank(true)
  if (position !== null && isBetween(side, live, beside.position, position)) return position
  const other = await nearestRank(false)
  const rank =
    side === 'before' ? rankBetween(other, beside.position) : rankBetween(beside.position, other)
  return rank.length <= MAX_RANK_LENGTH ? rank : respaceAround(tx, placement)
}

const from = (position: string) => ({ position, limit: 1 })

function isBetween(
  side: TaskPlacement['side'],
  far: string | undefined,
  near: string,
  position: string,
) {
  if (side === 'before') return position < near && (far === undefined || position > far)
  return position > near && (far === undefined || position < far)
}

/**
 * Reassigns the ranks around a placement, in the same order, in a window that grows until they are
 * short. Returns the rank of the placement. The versions of the tasks stay the same.
 */
async function respaceAround(
  tx: WriteTx,
  { side, project_id, beside, id }: TaskPlacement,
): Promise<string> {
  for (let width = INITIAL_WINDOW; ; width *= 2) {
    const around = { position: beside.position, project_id, id: id ?? '', limit: width }
    const down = await tx.all(neighbors({ side: 'before', live: false }), around)
    const up = await tx.all(neighbors({ side: 'after', live: false }), around)
    const low = down.length === width ? down.pop()?.position : undefined
    const high = up.length === width ? up.pop()?.position : undefined
    const row = [...down.toReversed(), beside, ...up]
    const insertIndex = down.length + (side === 'before' ? 0 : 1)
    const ranks = ranksBetween(low, high, row.length + 1)
    const areShort = ranks.every((rank) => rank.length <= MAX_RESPACED_LENGTH)
    if (!areShort && (low !== undefined || high !== undefined)) continue
    const [freeRank = ''] = ranks.splice(insertIndex, 1)
    if (id !== null) await tx.run(setTaskColumns(['position']), { id, position: `~${id}` })
    await setRanks(tx, row, ranks)
    if (id !== null) await tx.run(setTaskColumns(['position']), { id, position: freeRank })
    return freeRank
  }
}

/** In two steps, because ranks are unique at every moment. */
async function setRanks(tx: WriteTx, row: readonly { id: string }[], ranks: readonly string[]) {
  const set = setTaskColumns(['position'])
  await tx.runEach(
    set,
    row.map(({ id }) => ({ id, position: `~${id}` })),
  )
  await tx.runEach(
    set,
    row.map(({ id }, index) => ({ id, position: ranks[index] ?? '' })),
  )
}

interface NeighborQueryShape {
  side: TaskPlacement['side']
  /** Whether to leave deleted tasks out. */
  live: boolean
}

/** The tasks on one side of a rank, nearest first, without the task that is placed. */
const neighbors = memoizeByShape(({ side, live }: NeighborQueryShape) =>
  query((db, $: Scoped<{ project_id: string; position: string; id: string; limit: number }>) => {
    const rows = db
      .selectFrom('tasks')
      .select(['id', 'position'])
      .where('project_id', '=', $.project_id)
      .where('position', side === 'before' ? '<' : '>', $.position)
      .where('id', '<>', $.id)
      .orderBy('position', side === 'before' ? 'desc' : 'asc')
      .limit($.limit)
    return live ? rows.where('deleted_at', 'is', null) : rows
  }),
)
