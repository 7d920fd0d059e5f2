import { signal } from '../lib/signal.ts'

/** How far a change of many is, from a second after its begin. */
export const bulkProgress = signal<{ done: number; total: number } | undefined>(undefined)
