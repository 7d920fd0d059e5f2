import { atom } from '../../lib/state/atom.ts'

/** The ids of records whose deletion can still be undone, or is not acknowledged yet. */
export const hiddenRecords = atom<ReadonlySet<string>>(new Set())

export const hideRecord = (id: string): void =>
  hiddenRecords.set(new Set([...hiddenRecords.get(), id]))

/** Shows a record again, because its deletion was undone or refused. */
export const showRecord = (id: string): void =>
  hiddenRecords.set(new Set([...hiddenRecords.get()].filter((one) => one !== id)))
