import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'
import { type Clock, createClock } from '#lib/clock.ts'

interface SimulatedTimer {
  at: number
  serial: number
  every: number | undefined
  run: () => void
  /** Does nothing: no timer keeps the simulated process alive. */
  unref(): SimulatedTimer
}

/** Time of this whole process that passes only in `pass`. */
export interface SimulatedTime {
  /** Shows the simulated time; for the storage. */
  clock: Clock
  /** Milliseconds since the simulation began. */
  now(): number
  /** Lets time pass and runs everything that becomes due, in order. */
  pass(ms: number): Promise<void>
  /** Restores the real timers, clocks and randomness. */
  end(): void
}

const EPOCH = Date.UTC(2030, 0, 1)

/**
 * Replaces timers, clocks and `Math.random`, so that everything depends on the seed alone. Nothing
 * may wait for real I/O such as a disk or a network.
 */
export function simulateTime(random: () => number): SimulatedTime {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis
  const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate }
  const pauses = { setTimeout: promises.setTimeout, setImmediate: promises.setImmediate }
  const { random: realRandom } = Math
  const timers = new Set<SimulatedTimer>()
  let immediates: (() => void)[] = []
  let now = 0
  let serial = 0

  function addTimer(run: () => void, ms = 0, every?: number): SimulatedTimer {
    serial += 1
    const at = now + Math.max(ms, 1)
    const timer: SimulatedTimer = { at, serial, every, run, unref: () => timer }
    timers.add(timer)
    return timer
  }

  const clearTimer = (timer: SimulatedTimer) => void timers.delete(timer)
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms?: number) => addTimer(run, ms),
    setInterval: (run: () => void, ms: number) => addTimer(run, ms, ms),
    setImmediate: (run: () => void) => void immediates.push(run),
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
  })
  Object.assign(promises, {
    setTimeout: (ms: number) => new Promise<void>((done) => addTimer(done, ms)),
    setImmediate: () => new Promise<void>((done) => void immediates.push(done)),
  })
  syncBuiltinESMExports()
  Object.assign(performance, { now: () => now })
  Math.random = random

  /** Runs until everything waits for a timer. */
  async function settle(): Promise<void> {
    do {
      const current = immediates
      immediates = []
      for (const run of current) run()
      await new Promise<void>((done) => real.setImmediate(done))
    } while (immediates.length > 0)
  }

  function next(until: number): SimulatedTimer | undefined {
    let first: SimulatedTimer | undefined
    for (const timer of timers) {
      const isSooner = !first || timer.at < first.at
      if (
        timer.at <= until &&
        (isSooner || (timer.at === first?.at && timer.serial < first.serial))
      )
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
      Math.random = realRandom
    },
  }
}

/** Returns a generator of numbers from 0 (inclusive) to 1 (exclusive) for a seed (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
