import { atom, derive, hasSameItems } from '../../lib/state/atom.ts'
import { pickIdEnding, type QueuedMutation } from '../mutations/mutation-entry.ts'
import { cancelMutation, mutationQueue } from '../mutations/mutation-queue.ts'
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
const createdIds = atom<ReadonlyMap<string, string>>(new Map())
/** How the records of withdrawn creations are removed, by the keys of their mutations. */
const withdrawals = atom<ReadonlyMap<string, (id: string) => void>>(new Map())

/**
 * The new records to show beside those of the server. One that the server has created is not among them, even if the
 * stream has brought it and the reply is still to come; nor is a withdrawn one.
 */
export const pendingCreations = derive(
  [mutationQueue, createdIds, withdrawals],
  () =>
    mutationQueue
      .get()
      .filter(isCreation)
      .filter(({ key }) => !createdIds.get().has(key) && !withdrawals.get().has(key)),
  hasSameItems,
)

/** The id of the record that a mutation of this page has created. */
export const getCreatedId = (key: string): string | undefined => createdIds.get().get(key)

/** Takes a creation back: cancels it, or removes its record once the server has created that. */
export function withdrawCreation(key: string, remove: (id: string) => void): void {
  const id = getCreatedId(key)
  if (id !== undefined) remove(id)
  else if (!cancelMutation(key)) withdrawals.set(new Map(withdrawals.get()).set(key, remove))
}

/** Finds the records of the page that are those of creations. */
function recognizeCreations(): void {
  const creations = mutationQueue
    .get()
    .filter(isCreation)
    .filter(({ key }) => !createdIds.get().has(key))
  if (creations.length === 0) return
  const byEnding = new Map(creations.map((one) => [pickIdEnding(one.key), one]))
  const found = [...recordReplica.records()].flatMap(({ id, type }) => {
    const one = byEnding.get(pickIdEnding(id))
    return one && CREATED_TYPES[one.payload.kind] === type ? [[one.key, id] as const] : []
  })
  if (found.length > 0) createdIds.set(new Map([...createdIds.get(), ...found]))
  for (const [key, id] of found) withdrawals.get().get(key)?.(id)
  // What the server refuses has no record to remove.
  for (const { key, refusal } of creations)
    if (refusal && withdrawals.get().has(key)) cancelMutation(key)
}

mutationQueue.subscribe(recognizeCreations)
subscribeToHeldRecords(recognizeCreations)
