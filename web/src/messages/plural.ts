import { language } from '../lib/language.ts'
import { viewer } from '../lib/viewer.ts'

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

const rules = new Intl.PluralRules(language)

/** The form of a text that its number wants; `#` stands for the number: `plural(n, { one: '# task', other: '# tasks' })`. */
export const plural = (n: number, forms: Forms): string =>
  (forms[rules.select(n)] ?? forms.other).replace('#', number(n))

const formats = new Map<string, Intl.NumberFormat>()

/** A number as the viewer's locale writes it: 1,204. */
export function number(n: number): string {
  const { locale } = viewer.get()
  // Made once, for making one takes longer than drawing a row.
  const format = formats.get(locale) ?? new Intl.NumberFormat(locale)
  formats.set(locale, format)
  return format.format(n)
}

/** English without a comma before "and". */
const lists = new Intl.ListFormat(language === 'en' ? 'en-GB' : language, { type: 'conjunction' })

/** Several names as a sentence lists them: "Ines, Mei and Tomás". */
export const listed = (names: readonly string[]): string => lists.format(names)
