import { giveWay } from '#lib/turns.ts'

/** A row in the dependency graph: its key, and the keys that it depends on. */
export interface RowNode {
  number: number
  key: string | null
  parent: string | null
  needs: readonly string[]
  /** Whether the row has errors of its own, so that no task is made of it. */
  isInvalid: boolean
}

/** A row that cannot be made because of its place in the graph, and why. */
export interface UnorderableRow {
  number: number
  fault: string
}

/** Row numbers in the order in which they can be made, and the rows that cannot. */
export interface RowOrder {
  order: number[]
  unorderable: UnorderableRow[]
}

/** Levels of subtasks (docs/spec/api.md#task). */
const MAX_LEVELS = 5
const CYCLE = 'It waits for itself, or is below itself, by way of other rows.'
const TOO_DEEP = `It would be below more than ${MAX_LEVELS - 1} other tasks.`

/** The states of a row. A row needs others until it is in the order, or cannot be. */
const NEW = 0
const OPEN = 1
const ORDERED = 2
const IN_CYCLE = 3
const FAILED = 4

/**
 * Sorts rows topologically: what a row needs comes before it, and otherwise the order of the file
 * stays. Rows of a cycle are reported, with all rows that depend on them, and so are rows that
 * depend on one that cannot be made for another reason. Invalid rows are neither ordered nor
 * reported. It does not recurse, for a chain may be as long as the file.
 */
export async function orderRows(nodes: readonly RowNode[]): Promise<RowOrder> {
  const indexByKey = indexKeys(nodes)
  const state = new Uint8Array(nodes.length)
  const levels = new Uint32Array(nodes.length)
  const order: number[] = []
  const unorderable: UnorderableRow[] = []
  for (const [at, { isInvalid }] of nodes.entries()) if (isInvalid) state[at] = FAILED
  const neededBy = ({ parent, needs }: RowNode): number[] =>
    [...(parent === null ? [] : [parent]), ...needs].flatMap((key) => indexByKey.get(key) ?? [])

  /** Decides on a row when all that it needs is decided, and reports it if it cannot be made. */
  function decide(at: number, node: RowNode, needs: readonly number[]): number {
    const reject = (fault: string, rejected: number) => {
      unorderable.push({ number: node.number, fault })
      return rejected
    }
    const parent = node.parent === null ? undefined : indexByKey.get(node.parent)
    levels[at] = parent === undefined ? 1 : (levels[parent] ?? 0) + 1
    if (needs.some((one) => state[one] === OPEN || state[one] === IN_CYCLE))
      return reject(CYCLE, IN_CYCLE)
    const failed = needs.find((one) => state[one] === FAILED)
    if (failed !== undefined) {
      const field = failed === parent ? 'parent' : 'blocked_by'
      const why = `row ${nodes[failed]?.number} cannot be imported, because it has errors.`
      return reject(`${field}: ${why}`, FAILED)
    }
    if ((levels[at] ?? 0) > MAX_LEVELS) return reject(TOO_DEEP, FAILED)
    order.push(node.number)
    return ORDERED
  }

  for (const start of nodes.keys()) {
    const stack = [start]
    while (stack.length > 0) {
      await giveWay()
      const at = stack.at(-1) ?? 0
      const node = nodes[at]
      if (!node || (state[at] !== NEW && state[at] !== OPEN)) {
        stack.pop()
        continue
      }
      const needs = neededBy(node)
      const wasOpen = state[at] === OPEN
      state[at] = OPEN
      const unvisited = needs.filter((one) => state[one] === NEW)
      if (unvisited.length > 0 && !wasOpen) {
        stack.push(...unvisited.toReversed())
        continue
      }
      stack.pop()
      state[at] = decide(at, node, needs)
    }
  }
  return { order, unorderable }
}

/** Rows by key. Of several with the same key, only the first valid one can be meant. */
function indexKeys(nodes: readonly RowNode[]): ReadonlyMap<string, number> {
  const indexByKey = new Map<string, number>()
  for (const [at, { key, isInvalid }] of nodes.entries()) {
    if (key !== null && !(isInvalid && indexByKey.has(key))) indexByKey.set(key, at)
  }
  return indexByKey
}
