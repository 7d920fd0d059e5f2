/**
 * The mode in which a machine is. `next` names the modes that may follow each one: any other
 * transition is a mistake in the code, and throws.
 */
export class Mode<M extends string> {
  readonly #next: Readonly<Record<M, readonly M[]>>
  #current: M
  #enteredAt = performance.now()

  constructor(next: Readonly<Record<M, readonly M[]>>, first: M) {
    this.#next = next
    this.#current = first
  }

  is(...modes: readonly M[]): boolean {
    return modes.includes(this.#current)
  }

  /** Milliseconds since the mode was entered. */
  get ageMs(): number {
    return performance.now() - this.#enteredAt
  }

  enter(mode: M): void {
    if (!this.#next[this.#current].includes(mode))
      throw new Error(`The mode ${this.#current} cannot be followed by ${mode}`)
    this.#current = mode
    this.#enteredAt = performance.now()
  }
}
