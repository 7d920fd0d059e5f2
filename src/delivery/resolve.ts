import { lookup } from 'node:dns/promises'

/** The addresses that a name means; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** As every program of this machine resolves names, with its hosts file and its order. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

/** Lookups hang in threads of which there are few, so those that nobody waits for stay unasked. */
const AT_ONCE = 32

interface Lookup {
  wantedUntil: number
  answer: Promise<readonly string[]>
  begin(): void
}

/**
 * Resolves with one lookup for all who ask for a name while it is under way, and few lookups at once.
 * One that cannot begin while anybody still waits, for `patienceMs`, is never made. Nothing is
 * remembered: who asks later is answered anew.
 */
export function sharing(resolve: Resolve, patienceMs: number): Resolve {
  const known = new Map<string, Lookup>()
  const waiting: Lookup[] = []
  let underWay = 0

  const beginNext = () => {
    while (underWay < AT_ONCE) {
      const next = waiting.shift()
      if (!next) return
      next.begin()
    }
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
      wantedUntil,
      answer: promise,
      begin() {
        if (performance.now() > one.wantedUntil) {
          known.delete(hostname)
          reject(new Error('Nobody waits for this name any longer'))
          return
        }
        underWay += 1
        const ended = () => {
          known.delete(hostname)
          underWay -= 1
          beginNext()
        }
        resolve(hostname).finally(ended).then(found, reject)
      },
    }
    known.set(hostname, one)
    waiting.push(one)
    beginNext()
    return promise
  }
}
