/** How long background work may hold the event loop before it turns (docs/decisions/0046-event-loop-budget.md). */
const SLICE_MS = 10

let turnStartedAt: number | undefined

/** Lets the event loop turn. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

function forgetTurn(): void {
  turnStartedAt = undefined
}

/**
 * Lets the event loop turn if background work has held it for a slice, all such work of the process
 * taken together. Called between two pieces of work that are each short, it bounds the whole.
 * Returns undefined, and costs next to nothing, while the slice lasts.
 */
export function giveWay(): Promise<void> | undefined {
  const now = performance.now()
  if (turnStartedAt === undefined) {
    turnStartedAt = now
    setImmediate(forgetTurn)
    return undefined
  }
  return now - turnStartedAt < SLICE_MS ? undefined : nextTurn()
}
