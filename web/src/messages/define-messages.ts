import { pageLanguage } from '../lib/locale/language.ts'

/**
 * The translations by the name of their part; English needs none. The dictionary must not import a
 * module that waits for this file, or the page would stay empty: vite.config.ts keeps the modules
 * that it uses in a chunk of their own.
 */
const dictionary: Readonly<Record<string, unknown>> =
  pageLanguage === 'de' ? await import('./de/index.ts') : {}

/**
 * Defines the texts of one part of the app: returns `english`, or the dictionary's translation
 * (`messages/de/`) of this name if the page is in another language.
 */
export const defineMessages = <T>(name: string, english: T): T =>
  // The type is safe: each part of a dictionary is declared as `typeof` the English one.
  (dictionary[name] as T | undefined) ?? english
