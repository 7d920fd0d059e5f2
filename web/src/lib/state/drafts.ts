import { atom } from './atom.ts'

const STORAGE_PREFIX = 'docket.draft.'
const owner = { isSignedOut: false, user_id: '' }

/** Sets whose drafts are read and written; each person has their own in the same browser. */
export const setDraftOwner = (user_id: string): void => {
  owner.user_id = user_id
  owner.isSignedOut = false
}

const storageKeyOf = (key: string): string => `${STORAGE_PREFIX}${owner.user_id}.${key}`

/** The unsent text under a key. Drafts survive a reload and the end of a session. */
export const readDraft = (key: string): string | undefined =>
  localStorage.getItem(storageKeyOf(key)) ?? undefined

/** All drafts whose key begins with a prefix. */
export const readDraftsByPrefix = (start: string): string[] =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(storageKeyOf(start)))
    .flatMap((key) => localStorage.getItem(key) ?? [])

/** The key of the latest draft that the browser could not store, until it can or the draft is gone. */
export const unstoredDraft = atom<string | undefined>(undefined)

const settle = (key: string): void => {
  if (unstoredDraft.get() === key) unstoredDraft.set(undefined)
}

/** Saves a draft. Returns false if it cannot, e.g. in a full storage, which keeps an older text. */
export function saveDraft(key: string, text: string): boolean {
  if (owner.isSignedOut) return false
  try {
    localStorage.setItem(storageKeyOf(key), text)
    settle(key)
    return true
  } catch {
    unstoredDraft.set(key)
    return false
  }
}

/** Deletes a draft once it is sent or discarded. */
export function deleteDraft(key: string): void {
  localStorage.removeItem(storageKeyOf(key))
  settle(key)
}

/** Saves no more drafts while the page unloads after signing out. */
export const stopSavingDrafts = (): void => {
  owner.isSignedOut = true
}
