import { type ApiError, conflict } from '#core/api-error.ts'
import type { CopyJournalEntry, CopyRange, DeferredStatement } from './endpoint.ts'

/** How an engine stores journal entries. */
interface CopyJournalStorage {
  all(): Promise<readonly Record<string, unknown>[]>
  put(n: number, note: string): unknown
  take(n: number): unknown
}

/** The journal that the target keeps during a copy, in order of insertion. */
export interface CopyJournal {
  /** Reads the copied ranges. Refuses if they come from another source. */
  read(sourceId: string): Promise<{ ranges: CopyRange[] }>
  add(note: CopyJournalEntry): Promise<void>
  /** Lists the deferred statements that have not run yet. */
  listDeferred(): Promise<(DeferredStatement & { n: number })[]>
  remove(n: number): Promise<void>
}

/** Opens a journal on an engine's storage. */
export function openCopyJournal({ all, put, take }: CopyJournalStorage): CopyJournal {
  let next = 0
  const readEntries = async () =>
    (await all()).map(({ n, note }) => ({
      n: Number(n),
      ...(JSON.parse(String(note)) as CopyJournalEntry),
    }))
  return {
    async read(sourceId) {
      const notes = await readEntries()
      next = 1 + Math.max(...notes.map(({ n }) => n))
      const isSameSource = notes.some((note) => note.kind === 'source' && note.id === sourceId)
      if (!isSameSource) throw otherCopyRefusal()
      return { ranges: notes.filter((note) => note.kind === 'range') }
    },
    async add(note) {
      await put(next, JSON.stringify(note))
      next += 1
    },
    listDeferred: async () => (await readEntries()).filter((note) => note.kind === 'later'),
    async remove(n) {
      await take(n)
    },
  }
}

/** The refusal of a target that is not empty: a copy never overwrites data. */
export const targetNotEmpty = (what: string): ApiError =>
  conflict('store_not_empty', `${what} already exists. Choose an empty target.`)

const otherCopyRefusal = (): ApiError =>
  conflict(
    'other_move',
    'The target has an unfinished migration of other data, or the source has changed since. ' +
      'Empty the target, and start again.',
  )
