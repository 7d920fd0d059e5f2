import { serviceUnavailable } from '#core/api-error.ts'

/** Limits the streams of a process by the person or the workspace that has them. */
export class StreamSlots {
  /** By owner: the streams that are open or being opened. */
  readonly #counts = new Map<string | null, number>()
  #isClosed = false

  /** Whether the server is shutting down. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Gives no further slots. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * Takes a slot, before anything is awaited, so that streams which open at the same moment cannot
   * pass the limit together. The function that is returned releases it, and must be called once.
   * Throws if the owner has `max` streams, or if the server is shutting down.
   */
  acquire(owner: string | null, max: number, limitReached: () => Error): () => void {
    if (this.#isClosed)
      throw serviceUnavailable('Docket is restarting. Try again in a few seconds.')
    const count = this.#counts.get(owner) ?? 0
    if (count >= max) throw limitReached()
    this.#counts.set(owner, count + 1)
    return () => {
      const left = (this.#counts.get(owner) ?? 0) - 1
      if (left > 0) this.#counts.set(owner, left)
      else this.#counts.delete(owner)
    }
  }
}
