import { setImmediate } from 'node:timers/promises'
import { KIND } from '../support/manners.ts'
import type { Arrival, Receiver } from '../support/receiver.ts'

/** So many attempts hold back what comes later about the same subject (contract 8.3). */
const HOLDING = 4
/**
 * Deliveries whose first attempt came too early: an earlier event about the same subject had neither
 * been answered well nor been tried four times by then. `tries` is how often one may be tried in all.
 */
export function wrongOrder({ arrivals, events }: Receiver, tries: number): string[] {
  const lanes = Map.groupBy(arrivals, ({ hook, event }) => `${hook} ${events.get(event)?.subject}`)
  const wrong: string[] = []
  for (const [lane, came] of lanes) {
    const sequenceOf = ({ event }: Arrival) => events.get(event)?.sequence ?? 0
    const state = new Map<number, { tried: Set<number>; over: boolean }>()
    for (const arrival of came) state.set(sequenceOf(arrival), { tried: new Set(), over: false })
    for (const arrival of came) {
      const own = state.get(sequenceOf(arrival))
      if (own?.tried.size === 0) {
        for (const [earlier, { over, tried }] of state) {
          if (earlier >= sequenceOf(arrival) || over || tried.size >= HOLDING) continue
          wrong.push(`${lane}: ${sequenceOf(arrival)} before ${earlier}`)
        }
      }
      own?.tried.add(arrival.attempt)
      if (own && (KIND.has(arrival.manner) || arrival.attempt >= tries)) own.over = true
    }
  }
  return wrong
}

/** Turns of the event loop in which a connection is taken and what it brought is read. */
const TURNS = 10

/**
 * When what a server has sent is here that was just killed: some of it is read after its end is known.
 * What the next one sends comes later, for it has to start.
 */
export async function killedAt(): Promise<number> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate()
  return performance.now()
}

/**
 * What came although it was over: attempts of the same number, and attempts after one that was answered
 * well. A kill explains one when it fell between the two, at most `doubtMs` after the first, for so
 * long may it have taken to be written down. Gives those that nothing explains, and the count of all.
 */
export function repeats({ arrivals }: Receiver, kills: readonly number[], doubtMs: number) {
  const before = new Map<string, Arrival[]>()
  const unexplained: string[] = []
  let duplicates = 0
  for (const arrival of arrivals) {
    const { hook, event, attempt, at } = arrival
    const name = `${hook} ${event}`
    const earlier = before.get(name) ?? []
    before.set(name, [...earlier, arrival])
    const last = earlier.findLast((one) => one.attempt === attempt || KIND.has(one.manner))
    if (!last) continue
    duplicates += 1
    const killed = kills.some((kill) => last.at <= kill && kill <= at && kill - last.at < doubtMs)
    if (!killed) unexplained.push(`${name}: ${last.attempt} and ${attempt}, ${at - last.at} ms`)
  }
  return { duplicates, unexplained }
}
