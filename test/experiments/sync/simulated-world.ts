import { NetworkError } from '../../../web/src/lib/http/problem.ts'
import {
  createProblem,
  KEY_TTL_MS,
  type SimulatedReply,
  type SimulatedRequest,
  SimulatedServer,
} from './simulated-server.ts'

interface SimulatedEvent {
  at: number
  run: () => void
}

/** Time, network and server of one simulation, all decided by a seed. */
export class SimulatedWorld {
  readonly server = new SimulatedServer()
  readonly random: () => number
  /** The true time, in ms. */
  now = Date.UTC(2030, 0, 1)
  /** No faults happen any more. */
  isCalm = false
  /** When mutations were made that nobody has asked to send since. */
  readonly unasked = new Map<string, number>()
  #events: SimulatedEvent[] = []

  constructor(random: () => number) {
    this.random = random
  }

  chance(probability: number): boolean {
    return !this.isCalm && this.random() < probability
  }

  pick<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.random() * all.length)]
  }

  after(ms: number, run: () => void): void {
    this.#events.push({ at: this.now + ms, run })
  }

  /** Lets time pass and runs what becomes due, in order. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    await settle()
    for (;;) {
      let first: SimulatedEvent | undefined
      for (const event of this.#events)
        if (event.at <= until && (!first || event.at < first.at)) first = event
      if (!first) break
      const due = first
      this.#events = this.#events.filter((event) => event !== due)
      this.now = due.at
      due.run()
      await settle()
    }
    this.now = until
  }

  /** Sends a request over a network that loses, delays and doubles requests and replies. */
  send(key: string, request: SimulatedRequest): Promise<SimulatedReply> {
    if (this.now - (this.unasked.get(key) ?? this.now) > KEY_TTL_MS)
      this.server.wrong.push(`${key} is sent unasked after its key was forgotten`)
    return new Promise((resolve, reject) => {
      if (this.chance(0.04)) this.server.refuse(key, this.pick([403, 404, 409, 422]) ?? 403)
      const execute = (answer: boolean) => {
        try {
          const reply = this.server.handle(key, request, this.now)
          if (answer) this.after(this.random() * 200, () => resolve(reply))
        } catch (error) {
          if (answer) this.after(this.random() * 200, () => reject(error))
        }
      }
      const fail = (error: Error) => this.after(this.random() * 500, () => reject(error))
      const fate = this.isCalm ? 1 : this.random()
      if (fate < 0.08) {
        // The client gives up, and the request arrives much later or never.
        if (this.chance(0.5)) this.after(this.random() * 60_000, () => execute(false))
        fail(new NetworkError())
      } else if (fate < 0.16) {
        this.after(this.random() * 200, () => execute(false))
        this.after(500, () => reject(new NetworkError()))
      } else if (fate < 0.2) fail(createProblem(503, 'unavailable'))
      else if (fate < 0.23) fail(createProblem(429, 'too_many_requests', 2))
      else if (fate < 0.25) fail(createProblem(401, 'authentication_required'))
      else {
        if (this.chance(0.06)) this.after(this.random() * 60_000, () => execute(false))
        this.after(this.random() * 200, () => execute(true))
      }
    })
  }
}

/** Runs what waits for nothing but other promises. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
