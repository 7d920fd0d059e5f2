/** The modes that may follow each one. */
export type ModeTransitions<M extends string> = Readonly<Record<M, readonly M[]>>

/** Throws if one mode may not follow another, which is a mistake in the code. */
export function assertTransition<M extends string>(next: ModeTransitions<M>, from: M, to: M): void {
  if (!next[from].includes(to)) throw new Error(`The mode ${from} cannot be followed by ${to}`)
}
