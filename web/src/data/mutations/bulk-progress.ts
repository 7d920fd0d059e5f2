import { atom } from '../../lib/state/atom.ts'

export interface BulkProgress {
  done: number
  total: number
  /** Cancels the batches that were not sent yet. */
  stop: () => void
}

/** The progress of a running bulk change; set once the change has taken a second. */
export const bulkProgress = atom<BulkProgress | undefined>(undefined)
