import { foldAccents } from '#lib/fold-case.ts'
import type { PickerOption } from './overlay-stack.ts'

const MAX_OPTIONS = 100

/**
 * Returns the options in which every typed word starts a word of the label, hint or keywords; words
 * of three letters or more may also match in the middle. Labels that start with the whole text come
 * first; otherwise the order stays.
 */
export function filterOptions<O extends PickerOption>(options: readonly O[], typed: string): O[] {
  const typedWords = foldAccents(typed).split(/\s+/).filter(Boolean)
  if (typedWords.length === 0) return options.slice(0, MAX_OPTIONS)
  const phrase = typedWords.join(' ')
  const matches = options.filter(({ label, hint, words }) => {
    const text = foldAccents(` ${label} ${hint ?? ''} ${words ?? ''}`)
    return typedWords.every(
      (word) => text.includes(` ${word}`) || (word.length > 2 && text.includes(word)),
    )
  })
  const rank = (option: O) => (foldAccents(option.label).startsWith(phrase) ? 0 : 1)
  return matches.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_OPTIONS)
}

/** Whether an option has exactly this label, so that none needs to be created. */
export const hasOptionNamed = (options: readonly PickerOption[], typed: string): boolean =>
  options.some(({ label }) => foldAccents(label.trim()) === foldAccents(typed.trim()))

/** Concatenates two lists of options without duplicates. */
export function mergeOptions(
  first: readonly PickerOption[],
  others: readonly PickerOption[],
): PickerOption[] {
  const ids = new Set(first.map(({ id }) => id))
  return [...first, ...others.filter(({ id }) => !ids.has(id))]
}
