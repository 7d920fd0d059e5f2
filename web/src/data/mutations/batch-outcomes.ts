import { atom } from '../../lib/state/atom.ts'

export interface BulkRejection {
  short_id: string
  reason: string
  /** Whether somebody else has changed the same fields. */
  isConflict: boolean
}

/** What a batch of a bulk change has done. */
export interface BatchOutcome {
  refused: readonly BulkRejection[]
  /** Whether it was canceled before it was sent. */
  isCanceled?: boolean
}

const listeners = new Map<string, (outcome: BatchOutcome) => void>()

/** Calls back once with the outcome of a batch that this page has made. */
export function onBatchOutcome(key: string, listener: (outcome: BatchOutcome) => void): void {
  listeners.set(key, listener)
}

/** Reports the outcome of a batch. Returns false if an earlier page has made it. */
export function reportBatchOutcome(key: string, outcome: BatchOutcome): boolean {
  const listener = listeners.get(key)
  listeners.delete(key)
  listener?.(outcome)
  return listener !== undefined
}

interface BulkProgress {
  done: number
  total: number
  /** Cancels the batches that were not sent yet. */
  stop: () => void
}

/** The progress of a running bulk change; set once the change has taken a second. */
export const bulkProgress = atom<BulkProgress | undefined>(undefined)
