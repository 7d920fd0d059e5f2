import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'
import { type Clock, createClock } from '#lib/clock.ts'

interface Timer {
  at: number
  serial: number
  every: number | undefined
  run: () => void
  /** Nothing keeps the simulated process alive. */
  unref(): Timer
}

/** Time that passes only when it is told to, for all of this process. */
export interface SimulatedTime {
  /** For the storage: tells this time. */
  clock: Clock
  /** Milliseconds since it began. */
  now(): number
  /** Lets so much of it pass, and everything happen that is due until then, in order. */
  pass(ms: number): Promise<void>
  /** Gives the process its own time back. */
  end(): void
}

const EPOCH = Date.UTC(2030, 0, 1)

/**
 * Takes over timers, clocks and chance: what happens then depends on the seed alone. Nothing may wait for
 * the world outside, neither for a disk nor for a net.
 */
export function simulateTime(random: () => number): SimulatedTime {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis
  const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate }
  const pauses = { setTimeout: promises.setTimeout, setImmediate: promises.setImmediate }
  const { random: chance } = Math
  const timers = new Set<Timer>()
  let soon: (() => void)[] = []
  let now = 0
  let serial = 0

  function add(run: () => void, ms = 0, every?: number): Timer {
    serial += 1
    const at = now + Math.max(ms, 1)
    const timer: Timer = { at, serial, every, run, unref: () => timer }
    timers.add(timer)
    return timer
  }

  const clear = (timer: Timer) => void timers.delete(timer)
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms?: number) => add(run, ms),
    setInterval: (run: () => void, ms: number) => add(run, ms, ms),
    setImmediate: (run: () => void) => void soon.push(run),
    clearTimeout: clear,
    clearInterval: clear,
  })
  Object.assign(promises, {
    setTimeout: (ms: number) => new Promise<void>((done) => add(done, ms)),
    setImmediate: () => new Promise<void>((done) => void soon.push(done)),
  })
  syncBuiltinESMExports()
  Object.assign(performance, { now: () => now })
  Math.random = random

  /** Until nothing goes on without a timer. */
  async function settle(): Promise<void> {
    do {
      const due = soon
      soon = []
      for (const run of due) run()
      await new Promise<void>((done) => real.setImmediate(done))
    } while (soon.length > 0)
  }

  function next(until: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers) {
      const sooner = !first || timer.at < first.at
      if (timer.at <= until && (sooner || (timer.at === first?.at && timer.serial < first.serial)))
        first = timer
    }
    return first
  }

  return {
    clock: createClock(() => EPOCH + Math.floor(now)),
    now: () => now,
    async pass(ms) {
      const until = now + ms
      await settle()
      for (let timer = next(until); timer; timer = next(until)) {
        now = timer.at
        if (timer.every === undefined) timers.delete(timer)
        else Object.assign(timer, { at: now + timer.every, serial: serial++ })
        timer.run()
        await settle()
      }
      now = until
    },
    end() {
      Object.assign(globalThis, real)
      Object.assign(promises, pauses)
      syncBuiltinESMExports()
      Reflect.deleteProperty(performance, 'now')
      Math.random = chance
    },
  }
}

/** Numbers from 0 up to 1 that a seed decides (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
