import { atom } from '../../lib/state/atom.ts'
import type { BulkTaskChange } from '../tasks/bulk-command.ts'

export interface BulkRejection {
  short_id: string
  reason: string
  /** Whether somebody else has changed the same fields. */
  isConflict: boolean
}

/** A change that undoes another one, and where the task is by now. */
interface InverseChange {
  project_id: string
  number: number
  change: BulkTaskChange
}

/** What a batch of a bulk change has done. */
export interface BatchOutcome {
  refused: readonly BulkRejection[]
  /** The change that undoes each applied one. */
  inverse: readonly InverseChange[]
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
