import { signal } from '../lib/signal.ts'

export interface Progress {
  done: number
  total: number
  /** What was not sent yet is not sent any more. */
  stop: () => void
}

/** How far a change of many is, from a second after its begin. */
export const bulkProgress = signal<Progress | undefined>(undefined)
