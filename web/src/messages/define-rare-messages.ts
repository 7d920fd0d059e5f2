import { pageLanguage } from '../lib/locale/language.ts'

/**
 * Defines texts like `defineMessages`, for a part of the app that few people open: its translation is
 * loaded with it (`messages/de/rare.ts`), not with every page. The module that calls it must itself
 * be loaded lazily, because it waits for the translation.
 */
export async function defineRareMessages<T>(name: string, english: T): Promise<T> {
  if (pageLanguage !== 'de') return english
  const dictionary: Readonly<Record<string, unknown>> = await import('./de/rare.ts')
  // The type is safe: each part of a dictionary is declared as `typeof` the English one.
  return (dictionary[name] as T | undefined) ?? english
}
