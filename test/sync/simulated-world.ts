import { Intentions, toMutationKey } from './intentions.ts'
import {
  createProblem,
  KEY_TTL_MS,
  type SimulatedReply,
  type SimulatedRequest,
  SimulatedServer,
} from './simulated-server.ts'

/** Twelve hours, and what retries and the rate limit may take after that (docs/spec/web.md). */
const MAX_UNASKED_AGE_MS = 13 * 60 * 60 * 1000

/** Something that is due at a time. */
export interface SimulatedEvent {
  readonly at: number
  readonly run: () => void
}

/** Time, network and server of one simulation, all decided by a seed. */
export class SimulatedWorld {
  readonly server: SimulatedServer
  readonly random: () => number
  /** The true time, in ms. */
  now = Date.UTC(2030, 0, 1)
  /** No faults happen any more. */
  isCalm = false
  /** Pages hear of each write from the beginning. */
  isStreaming = false
  readonly intentions: Intentions
  /** When the person has asked to send mutations, in ms, by their keys. */
  readonly askedAt = new Map<string, number>()
  /** The people whose requests are refused until they have signed in again. */
  readonly endedSessions = new Set<number>()
  #serial = 0
  /** What is due, the last first. */
  readonly #events: SimulatedEvent[] = []

  constructor(random: () => number) {
    this.server = new SimulatedServer()
    this.intentions = new Intentions(() => this.now, this.server)
    this.random = random
  }

  chance(probability: number): boolean {
    return !this.isCalm && this.random() < probability
  }

  pick<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.random() * all.length)]
  }

  /** A number that no other thing of this world has. */
  nextSerial(): number {
    this.#serial += 1
    return this.#serial
  }

  after(ms: number, run: () => void): SimulatedEvent {
    const event = { at: this.now + ms, run }
    const later = this.#events.findLastIndex(({ at }) => at > event.at)
    this.#events.splice(later + 1, 0, event)
    return event
  }

  cancel(event: SimulatedEvent): void {
    const index = this.#events.indexOf(event)
    if (index >= 0) this.#events.splice(index, 1)
  }

  /** Lets time pass and runs what becomes due, in order. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    await settle()
    for (;;) {
      const due = this.#events.at(-1)
      if (!due || due.at > until) break
      this.#events.pop()
      this.now = due.at
      due.run()
      await settle()
    }
    this.now = until
  }

  /** What a server or a proxy answers that does not know whether the request was executed. */
  #createOutage(): SimulatedReply {
    const status = this.pick([500, 502, 503, 504]) ?? 500
    return status === 502
      ? { status, body: 'The page of a proxy' }
      : createProblem(status, 'unavailable')
  }

  /** A clock that is wrong by hours has no influence on whether the server knows the key. */
  #checkAge(idempotencyKey: string): void {
    const intention = this.intentions.get(toMutationKey(idempotencyKey))
    if (!intention) return
    const { key, madeAt, browser } = intention
    const maxAge = browser.hasRightClock ? MAX_UNASKED_AGE_MS : KEY_TTL_MS
    if (this.now - Math.max(madeAt, this.askedAt.get(key) ?? 0) > maxAge)
      this.server.wrong.push(`${idempotencyKey} is sent unasked, too old`)
  }

  /** Sends a request over a network that loses, delays and doubles requests and replies. */
  send(request: SimulatedRequest): Promise<SimulatedReply> {
    const { key } = request
    this.#checkAge(key)
    return new Promise((resolve, reject) => {
      if (key && this.chance(0.04)) this.server.refuse(key, this.pick(refusalsOf(request)) ?? 403)
      const execute = (answer: boolean) => {
        const reply = this.server.handle(request, this.now)
        if (answer) this.after(this.random() * 200, () => resolve(reply))
      }
      const lose = (ms: number) => this.after(ms, () => reject(new TypeError('Failed to fetch')))
      const fail = (reply: SimulatedReply) => this.after(this.random() * 500, () => resolve(reply))
      const endSession = () => {
        this.endedSessions.add(request.person)
        fail(createProblem(401, 'authentication_required'))
      }
      const fate = this.isCalm ? 1 : this.random()
      if (this.endedSessions.has(request.person)) endSession()
      else if (fate < 0.08) {
        // The client gives up, and the request arrives much later or never.
        if (this.chance(0.5)) this.after(this.random() * 60_000, () => execute(false))
        lose(this.random() * 500)
      } else if (fate < 0.16) {
        this.after(this.random() * 200, () => execute(false))
        if (this.random() < 0.5) lose(500)
        else this.after(500, () => resolve(this.#createOutage()))
      } else if (fate < 0.2) fail(this.#createOutage())
      else if (fate < 0.23) fail(createProblem(429, 'too_many_requests', 2))
      else if (fate < 0.245) endSession()
      else {
        if (this.chance(0.06)) this.after(this.random() * 60_000, () => execute(false))
        this.after(this.random() * 200, () => execute(true))
      }
    })
  }
}

/** A 404 says that an existing record is gone, which is true of those that were deleted. */
const refusalsOf = ({ method, path }: SimulatedRequest): readonly number[] =>
  method === 'POST' && !path.endsWith('/restore') ? [403, 404, 409, 422] : [403, 409, 422]

/** Runs what waits for nothing but other promises. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
