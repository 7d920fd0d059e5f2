import type { Option } from './floats.ts'

const MOST = 100

/** Text without case and accents, to be compared. */
export const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/**
 * The options that a typed text finds: every word of it begins a word of the label or of its other words. Those that
 * begin with the text come first; else the order stays.
 */
export function foundOptions(options: readonly Option[], typed: string): Option[] {
  const wanted = folded(typed).split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return options.slice(0, MOST)
  const whole = wanted.join(' ')
  const found = options.filter(({ label, hint, words }) => {
    const text = folded(` ${label} ${hint ?? ''} ${words ?? ''}`)
    return wanted.every(
      (word) => text.includes(` ${word}`) || (word.length > 2 && text.includes(word)),
    )
  })
  const first = (option: Option) => (folded(option.label).startsWith(whole) ? 0 : 1)
  return found.toSorted((a, b) => first(a) - first(b)).slice(0, MOST)
}

/** Whether an option is called exactly so: then none is to be made. */
export const isNamed = (options: readonly Option[], typed: string): boolean =>
  options.some(({ label }) => folded(label.trim()) === folded(typed.trim()))

/** Options of two sources, each once. */
export function merged(first: readonly Option[], others: readonly Option[]): Option[] {
  const ids = new Set(first.map(({ id }) => id))
  return [...first, ...others.filter(({ id }) => !ids.has(id))]
}
