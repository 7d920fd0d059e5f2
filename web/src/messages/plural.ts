import { pageLanguage } from '../lib/locale/language.ts'
import { viewer } from '../lib/locale/viewer.ts'

type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

const rules = new Intl.PluralRules(pageLanguage)

/** Selects the plural form and replaces `#`: `plural(n, { one: '# task', other: '# tasks' })`. */
export const plural = (n: number, forms: PluralForms): string =>
  (forms[rules.select(n)] ?? forms.other).replace('#', formatNumber(n))

const numberFormats = new Map<string, Intl.NumberFormat>()

/** Formats a number in the viewer's locale: 1,204. */
export function formatNumber(n: number): string {
  const { locale } = viewer.get()
  // Cached: creating a formatter takes longer than rendering a row.
  const format = numberFormats.get(locale) ?? new Intl.NumberFormat(locale)
  numberFormats.set(locale, format)
  return format.format(n)
}

/** `en-GB` writes no comma before "and". */
const listLanguage = pageLanguage === 'en' ? 'en-GB' : pageLanguage
const listFormat = new Intl.ListFormat(listLanguage, { type: 'conjunction' })

/** Formats names as a list in a sentence: "Ines, Mei and Tomás". */
export const formatList = (names: readonly string[]): string => listFormat.format(names)

const choiceFormat = new Intl.ListFormat(listLanguage, { type: 'disjunction' })

/** Formats names of which one is enough: "Ines, Mei or Tomás". */
export const formatChoice = (names: readonly string[]): string => choiceFormat.format(names)
