interface TimedStep {
  readonly at: number
  readonly serial: number
  readonly run: () => void
}

/** Microtasks that one step may take to the end; the code under test has no longer chain of promises. */
const MICROTASK_TURNS = 24

/** Time that passes only in `pass`, step by step. Everything that happens is a step. */
export class VirtualTime {
  now = 0
  /** In order; the next one is the last. */
  readonly #steps: TimedStep[] = []
  #serial = 0

  schedule(run: () => void, ms: number): void {
    this.#serial += 1
    const step = { at: this.now + ms, serial: this.#serial, run }
    let index = this.#steps.length
    while (index > 0 && isBefore(this.#steps[index - 1], step)) index -= 1
    this.#steps.splice(index, 0, step)
  }

  wait = (ms: number): Promise<void> => new Promise((resolve) => this.schedule(resolve, ms))

  /** Runs what becomes due, and calls back after each step. */
  async pass(ms: number, onStep: () => void): Promise<void> {
    const end = this.now + ms
    await runMicrotasks()
    onStep()
    for (let step = this.#steps.at(-1); step && step.at <= end; step = this.#steps.at(-1)) {
      this.#steps.pop()
      this.now = step.at
      step.run()
      await runMicrotasks()
      onStep()
    }
    this.now = end
  }
}

const isBefore = (a: TimedStep | undefined, b: TimedStep): boolean =>
  a !== undefined && (a.at < b.at || (a.at === b.at && a.serial < b.serial))

async function runMicrotasks(): Promise<void> {
  for (let turn = 0; turn < MICROTASK_TURNS; turn++) await null
}
