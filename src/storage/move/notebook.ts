import { conflict, type Refusal } from '#core/refusal.ts'
import type { Later, Note, Range } from './end.ts'

/** How notes lie in a database. */
interface Kept {
  all(): Promise<readonly Record<string, unknown>[]>
  put(n: number, note: string): unknown
  take(n: number): unknown
}

/** What the target of a move remembers, in the order in which it was noted. */
export interface Notebook {
  /** Ranges that are there. Refuses where they are of another source. */
  read(sourceId: string): Promise<{ ranges: Range[] }>
  add(note: Note): Promise<void>
  /** What is still to be made. */
  later(): Promise<(Later & { n: number })[]>
  strike(n: number): Promise<void>
}

/** Reads and writes notes by means of an engine. */
export function openNotebook({ all, put, take }: Kept): Notebook {
  let next = 0
  const noted = async () =>
    (await all()).map(({ n, note }) => ({ n: Number(n), ...(JSON.parse(String(note)) as Note) }))
  return {
    async read(sourceId) {
      const notes = await noted()
      next = 1 + Math.max(...notes.map(({ n }) => n))
      const isThis = notes.some((note) => note.kind === 'source' && note.id === sourceId)
      if (!isThis) throw foreign()
      return { ranges: notes.filter((note) => note.kind === 'range') }
    },
    async add(note) {
      await put(next, JSON.stringify(note))
      next += 1
    },
    later: async () => (await noted()).filter((note) => note.kind === 'later'),
    async strike(n) {
      await take(n)
    },
  }
}

/** Nothing is ever put over what is there. */
export const taken = (what: string): Refusal =>
  conflict('store_not_empty', `${what} is there already: move to an empty place.`)

const foreign = (): Refusal =>
  conflict(
    'other_move',
    'The target holds an unfinished move of other data, or the source has changed since: ' +
      'empty the target, and begin again.',
  )
