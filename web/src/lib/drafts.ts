const PREFIX = 'docket.draft.'
const session = { over: false }

/** What was written under a key and not sent yet; it outlives a reload and the end of a session. */
export const readDraft = (key: string): string | undefined =>
  localStorage.getItem(PREFIX + key) ?? undefined

/** All that is kept under keys that begin so. */
export const draftsUnder = (start: string): string[] =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX + start))
    .flatMap((key) => localStorage.getItem(key) ?? [])

/** Keeps a draft; a full or forbidden storage keeps none. */
export function keepDraft(key: string, text: string): void {
  if (session.over) return
  try {
    localStorage.setItem(PREFIX + key, text)
  } catch {
    localStorage.removeItem(PREFIX + key)
  }
}

export const dropDraft = (key: string): void => localStorage.removeItem(PREFIX + key)

/** On signing out: nothing that was written stays in this browser, nor is kept while the page goes. */
export function clearDrafts(): void {
  session.over = true
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  }
}
