import { atom } from '../../lib/state/atom.ts'

/** The ids of tasks of which the page has only an earlier state; `apply-live-event.ts` reads them. */
export const staleTaskIds = atom<ReadonlySet<string>>(new Set())

/** Soon refetches tasks together. */
export const refetchTasksSoon = (ids: Iterable<string>): void =>
  staleTaskIds.set(new Set([...staleTaskIds.get(), ...ids]))
