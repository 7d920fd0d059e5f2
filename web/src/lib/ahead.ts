/** What is loaded before it is needed, one after the other. */
const waiting: (() => Promise<unknown>)[] = []
let begun = false

/** The longest that a screen is waited for, ms: not every one tells. */
const LATEST_MS = 3_000
setTimeout(stands, LATEST_MS)

/**
 * Loads a part that opens later, once the screen stands and nothing else is to be done: before that it would take
 * the network and the processor from what the person waits for. A failure shows when the part is opened.
 */
export function ahead(...loads: (() => Promise<unknown>)[]): void {
  const idle = begun && waiting.length === 0
  waiting.push(...loads)
  if (idle) whenIdle(next)
}

/** The screen tells that what was asked for is there. */
export function stands(): void {
  if (begun) return
  begun = true
  whenIdle(next)
}

async function next(): Promise<void> {
  const load = waiting[0]
  if (!load) return
  await load().catch(() => undefined)
  waiting.shift()
  if (waiting.length > 0) whenIdle(next)
}

function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: 2_000 })
  else setTimeout(work, 50)
}
