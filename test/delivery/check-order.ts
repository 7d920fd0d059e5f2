import { setImmediate } from 'node:timers/promises'
import { SUCCESS_BEHAVIORS } from '../support/webhooks/receiver-behaviors.ts'
import type { ReceivedAttempt, VerifyingReceiver } from '../support/webhooks/verifying-receiver.ts'

/** This many failed attempts hold back later events about the same subject (docs/spec/api.md#guarantees-of-events). */
const BLOCKING_ATTEMPTS = 4

/**
 * Finds deliveries whose first attempt came too early: one of the first four attempts of an earlier
 * event about the same subject came later, although none had succeeded. An attempt that the sender
 * had given up does not count: a busy receiver may read it after what was sent since.
 * `maxAttempts` is the limit of one delivery.
 */
export function findOrderFaults(
  { arrivals, events }: Pick<VerifyingReceiver, 'arrivals' | 'events'>,
  maxAttempts: number,
): string[] {
  const bySubject = Map.groupBy(
    arrivals.toSorted((one, other) => one.at - other.at),
    ({ hook, event }) => `${hook} ${events.get(event)?.subject}`,
  )
  const wrong: string[] = []
  for (const [subject, inLane] of bySubject) {
    const sequenceOf = ({ event }: ReceivedAttempt) => events.get(event)?.sequence ?? 0
    const over = new Set<number>()
    let newest = 0
    for (const arrival of inLane) {
      const sequence = sequenceOf(arrival)
      const isBlocking = arrival.attempt <= BLOCKING_ATTEMPTS && !over.has(sequence)
      if (sequence < newest && isBlocking && !arrival.isAbandoned)
        wrong.push(`${subject}: ${newest} before attempt ${arrival.attempt} of ${sequence}`)
      newest = Math.max(newest, sequence)
      if (SUCCESS_BEHAVIORS.has(arrival.behavior) || arrival.attempt >= maxAttempts)
        over.add(sequence)
    }
  }
  return wrong
}

/** Turns of the event loop that it takes to accept a connection and to read its data. */
const EVENT_LOOP_TURNS = 10

/**
 * Returns the time at which everything is read that a killed server had sent: some of it is read
 * only after its exit. The next server has to start first, so its attempts come later.
 */
export async function readInFlightAfterKill(): Promise<number> {
  for (let turn = 0; turn < EVENT_LOOP_TURNS; turn += 1) await setImmediate()
  return performance.now()
}

/** What can explain that an event came again after a success. */
interface DuplicateCauses {
  /** When the server was killed, as `performance.now()`. */
  kills: readonly number[]
  /** Milliseconds that it may take to store the result of an attempt. */
  recordingMs: number
  /** Attempts that the sender recorded as timed out, as `attemptKey` names them. */
  timedOut?: ReadonlySet<string>
}

/** Names an attempt of any delivery. */
export const attemptKey = (hook: string, event: string, attempt: number) =>
  `${hook} ${event} ${attempt}`

/**
 * Finds duplicates: attempts with the same number, and attempts after a successful one. A kill
 * between the two explains one if it came before the result of the first must have been stored. So
 * does a first one that timed out for the sender: on a busy machine a reply can come too late.
 * Returns those without an explanation.
 */
export function findUnexplainedDuplicates(
  { arrivals }: VerifyingReceiver,
  { kills, recordingMs, timedOut = new Set() }: DuplicateCauses,
): string[] {
  const before = new Map<string, ReceivedAttempt[]>()
  const unexplained: string[] = []
  for (const arrival of arrivals) {
    const { hook, event, attempt, at } = arrival
    const name = `${hook} ${event}`
    const earlier = before.get(name) ?? []
    before.set(name, [...earlier, arrival])
    const original = earlier.findLast(
      (one) => one.attempt === attempt || SUCCESS_BEHAVIORS.has(one.behavior),
    )
    if (!original) continue
    const isExplained =
      timedOut.has(attemptKey(hook, event, original.attempt)) ||
      kills.some((kill) => original.at <= kill && kill <= at && kill - original.at < recordingMs)
    if (!isExplained)
      unexplained.push(`${name}: ${original.attempt} and ${attempt}, ${at - original.at} ms`)
  }
  return unexplained
}
