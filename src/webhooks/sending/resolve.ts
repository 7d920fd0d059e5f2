import { lookup } from 'node:dns/promises'

/** Resolves a name to its addresses; rejects if there are none. */
export type ResolveHostname = (hostname: string) => Promise<readonly string[]>

/** Resolves names as the operating system does, with its hosts file and its order. */
export const resolveWithSystem: ResolveHostname = async (hostname) => {
  const records = await lookup(hostname, { all: true, order: 'verbatim' })
  return records.map(({ address }) => address)
}

/**
 * Lookups take half of Node's threads (`npm start` sets 16), and an unanswered lookup keeps its
 * thread for many seconds. More at once would wait in the thread pool, where they cannot be
 * prioritized.
 */
const MAX_LOOKUPS = 8
/** Names whose last lookup was slow, and new names, share half of the places. */
const MAX_SLOW_LOOKUPS = 4
const PROMPT_MS = 1_000
const MAX_PROMPT_NAMES = 10_000

interface SharedLookup {
  hostname: string
  wantedUntil: number
  answer: Promise<readonly string[]>
  begin(): void
}

/**
 * Shares one running lookup among all callers that ask for the same name, and limits concurrent
 * lookups: names whose servers hang delay each other, but not names known to be answered
 * promptly. A lookup that cannot start within `timeoutMs` of its last caller is never
 * made. Addresses are not cached: a later call looks the name up again.
 */
export function createSharedResolver(resolve: ResolveHostname, timeoutMs: number): ResolveHostname {
  const lookups = new Map<string, SharedLookup>()
  const waiting = new Set<SharedLookup>()
  const promptNames = new Set<string>()
  let running = 0
  let slowRunning = 0

  const beginNext = () => {
    for (const next of waiting) {
      if (running >= MAX_LOOKUPS) return
      if (slowRunning >= MAX_SLOW_LOOKUPS && !promptNames.has(next.hostname)) continue
      waiting.delete(next)
      next.begin()
    }
  }

  const recordDuration = (hostname: string, tookMs: number) => {
    promptNames.delete(hostname)
    if (tookMs > PROMPT_MS) return
    promptNames.add(hostname)
    const [oldest] = promptNames
    if (promptNames.size > MAX_PROMPT_NAMES && oldest !== undefined) promptNames.delete(oldest)
  }

  return (hostname) => {
    const wantedUntil = performance.now() + timeoutMs
    const existing = lookups.get(hostname)
    if (existing) {
      existing.wantedUntil = wantedUntil
      return existing.answer
    }
    const { promise, resolve: fulfill, reject } = Promise.withResolvers<readonly string[]>()
    const entry: SharedLookup = {
      hostname,
      wantedUntil,
      answer: promise,
      begin() {
        const at = performance.now()
        if (at > entry.wantedUntil) {
          lookups.delete(hostname)
          reject(new Error('Nobody waits for this name any longer'))
          return
        }
        const slowCount = promptNames.has(hostname) ? 0 : 1
        running += 1
        slowRunning += slowCount
        const onEnd = () => {
          lookups.delete(hostname)
          recordDuration(hostname, performance.now() - at)
          running -= 1
          slowRunning -= slowCount
          beginNext()
        }
        resolve(hostname).finally(onEnd).then(fulfill, reject)
      },
    }
    lookups.set(hostname, entry)
    waiting.add(entry)
    beginNext()
    return promise
  }
}
