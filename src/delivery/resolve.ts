import { lookup } from 'node:dns/promises'

/** The addresses that a name means; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** As every program of this machine resolves names, with its hosts file and its order. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

/**
 * Lookups take threads, half of those that Node has (`npm start` asks for 16), and one that is not
 * answered keeps its own for many seconds, whoever waits for it. More at once would wait where nobody
 * puts them in order.
 */
const AT_ONCE = 8
/** Names that were not answered promptly the last time, new ones too, share half of the places. */
const NOT_PROMPT_AT_ONCE = 4
const PROMPT_MS = 1_000
const MOST_NAMES = 10_000

interface Lookup {
  hostname: string
  wantedUntil: number
  answer: Promise<readonly string[]>
  begin(): void
}

/**
 * Resolves with one lookup for all who ask for a name while it is under way, and few lookups at once:
 * names whose servers hang hold up each other, and not those that are known to be answered. One that
 * cannot begin while anybody still waits, for `patienceMs`, is never made. No address is remembered:
 * who asks later is answered anew.
 */
export function sharing(resolve: Resolve, patienceMs: number): Resolve {
  const known = new Map<string, Lookup>()
  const waiting = new Set<Lookup>()
  const prompt = new Set<string>()
  let underWay = 0
  let notPrompt = 0

  const beginNext = () => {
    for (const one of waiting) {
      if (underWay >= AT_ONCE) return
      if (notPrompt >= NOT_PROMPT_AT_ONCE && !prompt.has(one.hostname)) continue
      waiting.delete(one)
      one.begin()
    }
  }

  const note = (hostname: string, tookMs: number) => {
    prompt.delete(hostname)
    if (tookMs > PROMPT_MS) return
    prompt.add(hostname)
    const [oldest] = prompt
    if (prompt.size > MOST_NAMES && oldest !== undefined) prompt.delete(oldest)
  }

  return (hostname) => {
    const wantedUntil = performance.now() + patienceMs
    const same = known.get(hostname)
    if (same) {
      same.wantedUntil = wantedUntil
      return same.answer
    }
    const { promise, resolve: found, reject } = Promise.withResolvers<readonly string[]>()
    const one: Lookup = {
      ...{ hostname, wantedUntil, answer: promise },
      begin() {
        const at = performance.now()
        if (at > one.wantedUntil) {
          known.delete(hostname)
          reject(new Error('Nobody waits for this name any longer'))
          return
        }
        const part = prompt.has(hostname) ? 0 : 1
        underWay += 1
        notPrompt += part
        const ended = () => {
          known.delete(hostname)
          note(hostname, performance.now() - at)
          underWay -= 1
          notPrompt -= part
          beginNext()
        }
        resolve(hostname).finally(ended).then(found, reject)
      },
    }
    known.set(hostname, one)
    waiting.add(one)
    beginNext()
    return promise
  }
}
