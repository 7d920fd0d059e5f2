/** A row as far as its turn goes: what others call it, and which keys it needs. */
export interface Node {
  number: number
  key: string | null
  parent: string | null
  needs: readonly string[]
}

/** What a row cannot be made for. */
export interface Knot {
  number: number
  fault: string
}

/** Levels of subtasks (contract 6.2). */
const MOST_LEVELS = 5
const CYCLE = 'It waits for itself, or is below itself, by way of other rows.'
const TOO_DEEP = `It would be below more than ${MOST_LEVELS - 1} other tasks.`

/**
 * Puts rows in the order in which they can be made: whatever a row needs comes before it, and else they
 * stay as they are in the file. What goes round in a circle is told, with all that hangs on it.
 * Nothing is called within itself: a chain may be as long as the file.
 */
export function orderOf(nodes: readonly Node[]): { order: number[]; knots: Knot[] } {
  const byKey = new Map<string, number>()
  for (const [at, { key }] of nodes.entries()) if (key !== null) byKey.set(key, at)
  const [NEW, OPEN, DONE, BAD] = [0, 1, 2, 3]
  const state = new Uint8Array(nodes.length)
  const level = new Uint32Array(nodes.length)
  const order: number[] = []
  const knots: Knot[] = []
  const needsOf = ({ parent, needs }: Node): number[] =>
    [...(parent === null ? [] : [parent]), ...needs].flatMap((key) => byKey.get(key) ?? [])

  for (const start of nodes.keys()) {
    const stack = [start]
    while (stack.length > 0) {
      const at = stack.at(-1) ?? 0
      const node = nodes[at]
      if (!node || state[at] === DONE || state[at] === BAD) {
        stack.pop()
        continue
      }
      const needs = needsOf(node)
      const isOpened = state[at] === OPEN
      state[at] = OPEN
      const waiting = needs.filter((one) => state[one] === NEW)
      if (waiting.length > 0 && !isOpened) {
        stack.push(...waiting.toReversed())
        continue
      }
      stack.pop()
      const parent = node.parent === null ? undefined : byKey.get(node.parent)
      level[at] = parent === undefined ? 1 : (level[parent] ?? 0) + 1
      const isKnotted = needs.some((one) => state[one] !== DONE)
      const isDeep = (level[at] ?? 0) > MOST_LEVELS
      state[at] = isKnotted || isDeep ? BAD : DONE
      if (isKnotted || isDeep)
        knots.push({ number: node.number, fault: isKnotted ? CYCLE : TOO_DEEP })
      else order.push(node.number)
    }
  }
  return { order, knots }
}
