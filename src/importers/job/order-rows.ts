import { giveWay } from '#lib/turns.ts'

/** A row in the graph of parents and blockers: its key, and the keys that it names. */
export interface RowNode {
  number: number
  /** Its beginning, for the warnings. */
  title: string
  key: string | null
  parent: string | null
  needs: readonly string[]
  /** Whether no task is made of the row. */
  isEmpty: boolean
}

/** What the graph changes about a row. */
export interface RowChange {
  number: number
  title: string
  warnings: string[]
  /** The key of the row below which its task comes instead; blank for none. */
  parent?: string
}

/** Row numbers in the order in which they can be made, and what of the graph could not be kept. */
export interface RowOrder {
  order: number[]
  changes: RowChange[]
}

/** Levels of subtasks (docs/spec/api.md#task). */
const MAX_LEVELS = 5
/** Rows or relations between two turns of the event loop. */
const STEPS_IN_TURN = 2_000

/**
 * Sorts rows: the parent and the blockers of a row come before it, and otherwise the order of the
 * file stays. Every row that is not empty comes in. What stands in the way is cut, with a warning: a
 * circle at one of its relations, at a blocker if there is one in it. A task whose parent is empty,
 * or would be on too deep a level, comes below the nearest ancestor that it can. Nothing recurses,
 * for a chain may be as long as the file.
 */
export async function orderRows(nodes: readonly RowNode[]): Promise<RowOrder> {
  const indexByKey = indexKeys(nodes)
  const changes = new Map<number, RowChange>()
  const changeOf = (at: number): RowChange => {
    const { number = 0, title = '' } = nodes[at] ?? {}
    const change = changes.get(at) ?? { number, title, warnings: [] }
    changes.set(at, change)
    return change
  }
  const parents = await resolveParents(nodes, indexByKey, changeOf)
  const order = await sortRows(nodes, indexByKey, parents, changeOf)
  return { order: order.map((at) => nodes[at]?.number ?? 0), changes: [...changes.values()] }
}

type IndexByKey = ReadonlyMap<string, number>
type ChangeOf = (at: number) => RowChange
const NONE = -1

/** The index of the row below which each row comes, or `NONE`. */
async function resolveParents(
  nodes: readonly RowNode[],
  indexByKey: IndexByKey,
  changeOf: ChangeOf,
): Promise<Int32Array> {
  const parents = new Int32Array(nodes.length).fill(NONE)
  const levels = new Uint8Array(nodes.length)
  const isOnPath = new Uint8Array(nodes.length)
  const named = (at: number): number => indexByKey.get(nodes[at]?.parent ?? '') ?? NONE

  /** Decides on the parent of a row after that of the row which it names. */
  function decide(at: number): void {
    const wanted = named(at)
    const key = nodes[at]?.parent ?? ''
    let parent = wanted
    let why: string | undefined
    if (wanted !== NONE && levels[wanted] === 0) {
      parent = NONE
      why = `"${key}" is below this row itself.`
    } else if (wanted !== NONE && nodes[wanted]?.isEmpty) {
      parent = parents[wanted] ?? NONE
      why = `"${key}" in row ${nodes[wanted]?.number} is empty.`
    }
    if (parent !== NONE && levels[parent] === MAX_LEVELS) {
      parent = parents[parent] ?? NONE
      why ??= `below "${key}" it would be on more than ${MAX_LEVELS} levels.`
    }
    parents[at] = parent
    levels[at] = parent === NONE ? 1 : (levels[parent] ?? 0) + 1
    if (why === undefined || nodes[at]?.isEmpty) return
    const change = changeOf(at)
    change.parent = nodes[parent]?.key ?? ''
    change.warnings.push(`Part of: ${why}`)
  }

  for (const start of nodes.keys()) {
    const path: number[] = []
    for (let at = start; at !== NONE && levels[at] === 0 && isOnPath[at] === 0; at = named(at)) {
      isOnPath[at] = 1
      path.push(at)
    }
    for (const at of path.toReversed()) decide(at)
    if (start % STEPS_IN_TURN === 0) await giveWay()
  }
  return parents
}

/** The states of a row while rows are sorted. */
const NEW = 0
const OPEN = 1
const DONE = 2

/** A row that waits for others: those that it needs, of which the first `next` are dealt with. */
interface OpenRow {
  at: number
  needs: number[]
  next: number
}

async function sortRows(
  nodes: readonly RowNode[],
  indexByKey: IndexByKey,
  parents: Int32Array,
  changeOf: ChangeOf,
): Promise<number[]> {
  const state = new Uint8Array(nodes.length)
  const order: number[] = []
  const warn = (at: number, blocker: number, why: string) =>
    changeOf(at).warnings.push(`Blocked by: "${nodes[blocker]?.key}" ${why}`)

  function open(at: number): OpenRow {
    state[at] = OPEN
    const blockers = (nodes[at]?.needs ?? []).flatMap((key) => indexByKey.get(key) ?? [])
    const parent = parents[at] ?? NONE
    return { at, needs: [...(parent === NONE ? [] : [parent]), ...blockers], next: 0 }
  }

  /**
   * Cuts the circle that the last open row closes with its parent: at the last blocker on the way
   * there. The rows after it are begun anew later. There is one, for parents form no circle.
   */
  function cutAtBlocker(path: OpenRow[]): void {
    for (let last = path.pop(); last; last = path.pop()) {
      state[last.at] = NEW
      const waiting = path.at(-1)
      if (!waiting || parents[waiting.at] === last.at) continue
      warn(waiting.at, last.at, 'waits for this row itself.')
      waiting.next += 1
      return
    }
  }

  let steps = 0
  for (const start of nodes.keys()) {
    if (state[start] !== NEW || nodes[start]?.isEmpty) continue
    const path = [open(start)]
    for (let row = path.at(-1); row; row = path.at(-1)) {
      steps += 1
      if (steps % STEPS_IN_TURN === 0) await giveWay()
      const need = row.needs[row.next]
      if (need === undefined) {
        state[row.at] = DONE
        order.push(row.at)
        path.pop()
      } else if (nodes[need]?.isEmpty) {
        warn(row.at, need, `in row ${nodes[need]?.number} is empty.`)
        row.next += 1
      } else if (state[need] === NEW) path.push(open(need))
      else if (state[need] === OPEN && need === parents[row.at] && row.next === 0)
        cutAtBlocker(path)
      else {
        if (state[need] === OPEN) warn(row.at, need, 'waits for this row itself.')
        row.next += 1
      }
    }
  }
  return order
}

/** Rows by key. Of several with the same key, only the first that is not empty can be meant. */
function indexKeys(nodes: readonly RowNode[]): IndexByKey {
  const indexByKey = new Map<string, number>()
  for (const [at, { key, isEmpty }] of nodes.entries()) {
    if (key !== null && !(isEmpty && indexByKey.has(key))) indexByKey.set(key, at)
  }
  return indexByKey
}
