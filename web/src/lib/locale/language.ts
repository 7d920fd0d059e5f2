import { localStore } from '../state/browser-storage.ts'

export type Language = 'en' | 'de'

const STORAGE_KEY = 'docket.language'

/** The language of the texts for a locale: German for `de` and `de-AT`, otherwise English. */
const toLanguage = (locale: string): Language => (/^de(-|$)/i.test(locale) ? 'de' : 'en')

/** The language of this page. It never changes while the page is open: texts are resolved once. */
export const pageLanguage: Language = detectLanguage()

/**
 * Stores the language of the profile for later pages. Returns false if this page is in the other
 * language and has to be reloaded; if nothing can be stored, another page would have the same one.
 */
export function saveProfileLanguage(locale: string): boolean {
  const profileLanguage = toLanguage(locale)
  const isStored = localStore.write(STORAGE_KEY, profileLanguage)
  return !isStored || profileLanguage === pageLanguage
}

/** Before the profile is loaded: the last language, or the first supported one of the browser. */
function detectLanguage(): Language {
  // Unit tests run without a browser.
  if (typeof document === 'undefined') return 'en'
  const stored = localStore.read(STORAGE_KEY)
  return toLanguage(stored ?? navigator.languages.find((one) => /^(de|en)\b/i.test(one)) ?? 'en')
}
