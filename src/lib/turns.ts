/** How long background work or a long write may hold the event loop before it turns (docs/decisions/0046-event-loop-budget.md). */
const SLICE_MS = 10

let turnStartedAt: number | undefined
let turning: Promise<void> | undefined

/** Lets the event loop turn. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The turn that work waits for by `giveWay`; undefined if none does. */
export const pendingTurn = (): Promise<void> | undefined => turning

function forgetTurn(): void {
  turnStartedAt = undefined
}

/**
 * Lets the event loop turn if background work and long writes have held it for a slice, all such work of
 * the process taken together. Called between two pieces of work that are each short, it bounds the whole.
 * Returns undefined, and costs next to nothing, while the slice lasts.
 */
export function giveWay(): Promise<void> | undefined {
  const now = performance.now()
  if (turnStartedAt === undefined) {
    turnStartedAt = now
    setImmediate(forgetTurn)
    return undefined
  }
  if (now - turnStartedAt < SLICE_MS) return undefined
  turning ??= nextTurn().finally(() => {
    turning = undefined
  })
  return turning
}
