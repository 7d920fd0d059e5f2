export type Language = 'en' | 'de'

const KEY = 'docket.language'

/** The language in which somebody who writes dates in a locale reads texts: German for `de`, `de-AT`; else English. */
export const languageOf = (locale: string): Language => (/^de(-|$)/i.test(locale) ? 'de' : 'en')

/** What this page is drawn in, from its beginning to its end; texts are read once. */
export const language: Language = spokenHere()

/**
 * Takes what the profile says, for this page and those after it. False where this page is drawn in the other
 * language: then it has to be loaded anew.
 */
export function isSpoken(locale: string): boolean {
  const wanted = languageOf(locale)
  localStorage.setItem(KEY, wanted)
  return wanted === language
}

/** Until the profile is known: what was spoken here last, else the first of the browser's languages that there is. */
function spokenHere(): Language {
  // In a test without a browser.
  if (typeof document === 'undefined') return 'en'
  const known = localStorage.getItem(KEY)
  return languageOf(known ?? navigator.languages.find((one) => /^(de|en)\b/i.test(one)) ?? 'en')
}
