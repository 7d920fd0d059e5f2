import { atom } from './atom.ts'
import { localStore } from './browser-storage.ts'

const STORAGE_PREFIX = 'docket.draft.'
const owner = { isSignedOut: false, user_id: '' }

/** Sets whose drafts are read and written; each person has their own in the same browser. */
export const setDraftOwner = (user_id: string): void => {
  owner.user_id = user_id
  owner.isSignedOut = false
}

const storageKeyOf = (key: string): string => `${STORAGE_PREFIX}${owner.user_id}.${key}`

/** The unsent text under a key. Drafts survive a reload and the end of a session. */
export const readDraft = (key: string): string | undefined => localStore.read(storageKeyOf(key))

/** The keys of all drafts that begin with a prefix. */
export const findDraftKeys = (start: string): string[] =>
  localStore
    .keys()
    .filter((key) => key.startsWith(storageKeyOf(start)))
    .map((key) => key.slice(storageKeyOf('').length))

/** All drafts whose key begins with a prefix. */
export const readDraftsByPrefix = (start: string): string[] =>
  findDraftKeys(start).flatMap((key) => readDraft(key) ?? [])

/** What belongs to a draft, or to a mutation, which is not a draft of its own. */
const PART_OF_ANOTHER = /\.(begin|mutation)\.|\.theirs$/

/** How many drafts this browser has, also those of other workspaces and tabs. */
export const countDrafts = (): number =>
  localStore.keys().filter((key) => key.startsWith(STORAGE_PREFIX) && !PART_OF_ANOTHER.test(key))
    .length

/** The key of the latest draft that the browser could not store, until it can or the draft is gone. */
export const unstoredDraft = atom<string | undefined>(undefined)

const settle = (key: string): void => {
  if (unstoredDraft.get() === key) unstoredDraft.set(undefined)
}

/** Saves a draft. Returns false if it cannot, e.g. in a full storage, which keeps an older text. */
export function saveDraft(key: string, text: string): boolean {
  if (owner.isSignedOut) return false
  const isStored = localStore.write(storageKeyOf(key), text)
  if (isStored) settle(key)
  else unstoredDraft.set(key)
  return isStored
}

/** Saves a text that was discarded, unless another has been typed since. */
export function restoreDraft(key: string, text: string): void {
  if (readDraft(key) === undefined) saveDraft(key, text)
}

/** Deletes a draft once it is sent or discarded. */
export function deleteDraft(key: string): void {
  localStore.write(storageKeyOf(key), undefined)
  settle(key)
}

/** Saves no more drafts while the page unloads after signing out. */
export const stopSavingDrafts = (): void => {
  owner.isSignedOut = true
}
