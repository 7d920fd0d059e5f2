/** The modes that may follow each one. */
export type ModeTransitions<M extends string> = Readonly<Record<M, readonly M[]>>

/** Throws if one mode may not follow another, which is a mistake in the code. */
export function assertTransition<M extends string>(next: ModeTransitions<M>, from: M, to: M): void {
  if (!next[from].includes(to)) throw new Error(`The mode ${from} cannot be followed by ${to}`)
}

/**
 * The mode in which a machine is. `next` names the modes that may follow each one: any other
 * transition is a mistake in the code, and throws.
 */
export class Mode<M extends string> {
  readonly #next: ModeTransitions<M>
  #current: M
  #enteredAt = performance.now()

  constructor(next: ModeTransitions<M>, first: M) {
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
    assertTransition(this.#next, this.#current, mode)
    this.#current = mode
    this.#enteredAt = performance.now()
  }
}
