import { atom, derive, hasSameItems } from '../../lib/state/atom.ts'
import { pickIdEnding, type QueuedMutation } from '../mutations/mutation-entry.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import type { MutationOfKind, StoredMutation } from '../mutations/stored-mutation.ts'
import { type HeldType, recordReplica, subscribeToHeldRecords } from './held-records.ts'

/** The types of the records that mutations create and that are shown before. */
const CREATED_TYPES = {
  comment: 'comment',
  'time-entry': 'time_entry',
  upload: 'attachment',
} as const satisfies Partial<Record<StoredMutation['kind'], HeldType>>

/** A mutation that creates one of these. */
export type Creation = QueuedMutation<MutationOfKind<keyof typeof CREATED_TYPES>>

const isCreation = (one: QueuedMutation<StoredMutation>): one is Creation =>
  one.payload.kind in CREATED_TYPES

/** The ids that the server has given to records of this page, by the keys of their mutations. */
export const createdRecords = atom<ReadonlyMap<string, string>>(new Map())
/** The keys of the mutations that are being undone. */
const undoneKeys = derive(
  [mutationQueue],
  (): ReadonlySet<string> =>
    new Set(
      mutationQueue.get().flatMap(({ payload }) => (payload.kind === 'undo' ? payload.of : [])),
    ),
  (before, now) => hasSameItems([...before], [...now]),
)

/**
 * The new records to show beside those of the server. One that the server has created is not among them, even if the
 * stream has brought it and the reply is still to come; nor is one that is being undone.
 */
export const pendingCreations = derive(
  [mutationQueue, createdRecords, undoneKeys],
  () =>
    mutationQueue
      .get()
      .filter(isCreation)
      .filter(({ key }) => !createdRecords.get().has(key) && !undoneKeys.get().has(key)),
  hasSameItems,
)

/** Finds the records of the page that are those of creations. */
function recognizeCreations(): void {
  const creations = mutationQueue
    .get()
    .filter(isCreation)
    .filter(({ key }) => !createdRecords.get().has(key))
  if (creations.length === 0) return
  const byEnding = new Map(creations.map((one) => [pickIdEnding(one.key), one]))
  const found = [...recordReplica.records()].flatMap(({ id, type }) => {
    const one = byEnding.get(pickIdEnding(id))
    return one && CREATED_TYPES[one.payload.kind] === type ? [[one.key, id] as const] : []
  })
  if (found.length > 0) createdRecords.set(new Map([...createdRecords.get(), ...found]))
}

mutationQueue.subscribe(recognizeCreations)
subscribeToHeldRecords(recognizeCreations)
