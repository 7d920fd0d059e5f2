import { language } from '../lib/language.ts'

/**
 * What the reader's language has for the English, by the name of its part. Who reads English waits for nothing.
 * Whoever is waited for here may not wait for this file: the page would stay empty (vite.config.ts keeps what the
 * dictionary uses out of the files that use it).
 */
const dictionary: Readonly<Record<string, unknown>> =
  language === 'de' ? await import('./de/index.ts') : {}

/**
 * The texts of one part of the app in the reader's language: `english` as it stands, or what the
 * dictionary of another language (`messages/de/`) has under this name.
 */
export const say = <T>(name: string, english: T): T =>
  // The same shape: each part of a dictionary is declared as `typeof` the English one.
  (dictionary[name] as T | undefined) ?? english
