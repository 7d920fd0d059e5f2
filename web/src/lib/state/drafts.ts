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

/** Saves a draft. If the storage is full, an older text under the key is deleted as well. */
export function saveDraft(key: string, text: string): void {
  if (owner.isSignedOut) return
  try {
    localStorage.setItem(storageKeyOf(key), text)
  } catch {
    localStorage.removeItem(storageKeyOf(key))
  }
}

/** Deletes a draft once it is sent or discarded. */
export const deleteDraft = (key: string): void => localStorage.removeItem(storageKeyOf(key))

/** Deletes all drafts on signing out, and saves no more while the page unloads. */
export function clearDrafts(): void {
  owner.isSignedOut = true
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(STORAGE_PREFIX)) localStorage.removeItem(key)
  }
}
