const ALL = 'docket.draft.'
const session = { over: false, user_id: '' }

/** Drafts are this person's from now on: who signs in next in the same browser finds their own. */
export const setDraftsOf = (user_id: string): void => {
  session.user_id = user_id
  session.over = false
}

const placeOf = (key: string): string => `${ALL}${session.user_id}.${key}`

/** What was written under a key and not sent yet; it outlives a reload and the end of a session. */
export const readDraft = (key: string): string | undefined =>
  localStorage.getItem(placeOf(key)) ?? undefined

/** All that is kept under keys that begin so. */
export const draftsUnder = (start: string): string[] =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(placeOf(start)))
    .flatMap((key) => localStorage.getItem(key) ?? [])

/** Keeps a draft; where the storage is full none is kept, an older one neither. */
export function keepDraft(key: string, text: string): void {
  if (session.over) return
  try {
    localStorage.setItem(placeOf(key), text)
  } catch {
    localStorage.removeItem(placeOf(key))
  }
}

/** Forgets a draft, once it was sent or is not wanted. */
export const dropDraft = (key: string): void => localStorage.removeItem(placeOf(key))

/** On signing out: nothing that was written stays in this browser, nor is kept while the page goes. */
export function clearDrafts(): void {
  session.over = true
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(ALL)) localStorage.removeItem(key)
  }
}
