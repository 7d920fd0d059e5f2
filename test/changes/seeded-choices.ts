import { createSeededRandom } from '../delivery/simulated-time.ts'

/** Choices that depend on a seed alone. */
export class SeededChoices {
  readonly random: () => number

  constructor(seed: number) {
    this.random = createSeededRandom(seed)
  }

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.random() * below)
  }

  chance(probability: number): boolean {
    return this.random() < probability
  }

  pick<T>(all: readonly T[]): T | undefined {
    return all[this.below(all.length)]
  }

  /** Some of these, at most `max`, each once. */
  some<T>(all: readonly T[], max: number): T[] {
    const count = this.below(max + 1)
    return [...new Set(Array.from({ length: count }, () => this.pick(all)))].filter(
      (one) => one !== undefined,
    )
  }
}
