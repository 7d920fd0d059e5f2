import { isDay, isTimezone, normalizeTimestamp } from '#lib/days.ts'
import { codePointLength } from '#lib/fold-case.ts'
import { isRecurrenceRule } from '#lib/recurrence.ts'
import { type FieldErrorCode, fieldError } from './field-error.ts'
import type { InputSchema, ValueParser } from './schema-parser.ts'

/**
 * Embeddings, overrides and isolates of the Unicode bidirectional algorithm. They are invisible and
 * reverse the order of what is shown: `invoice\u202efdp.exe` looks like `invoiceexe.pdf`. Texts in
 * Arabic or Hebrew need none of them; the marks U+200E, U+200F and U+061C stay allowed.
 */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/

export const hasBidiControls = (text: string): boolean => BIDI_CONTROLS.test(text)

/** The text with `_` for each control, as browsers name downloads. */
const replaceBidiControls = (text: string): string =>
  text.replace(new RegExp(BIDI_CONTROLS, 'g'), '_')

/**
 * An absolute web address in the only notation that all programs read alike: `URL` itself drops
 * tabs, reads `\` as `/`, and finds a host in `https:example.com`.
 */
const WEB_ADDRESS = /^https?:\/\/[^/?#@\\\s\p{Cc}\p{Cs}]+(?:[/?][^#\s\p{Cc}\p{Cs}]*)?$/iu

/** Each `parse` returns the stored form of a text, or undefined if it does not have the format. */
const FORMATS: Record<
  string,
  { parse: (text: string) => string | undefined; code: FieldErrorCode; must: string }
> = {
  date: {
    parse: (text) => (isDay(text) ? text : undefined),
    code: 'invalid_format',
    must: 'be a date, such as 2026-03-31',
  },
  'date-time': {
    parse: normalizeTimestamp,
    code: 'invalid_format',
    must: 'be a time with an offset, such as 2026-03-31T09:30:00Z',
  },
  color: {
    parse: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined),
    code: 'invalid_format',
    must: 'be a color, such as #22c55e',
  },
  iri: {
    parse: (text) => (WEB_ADDRESS.test(text) && URL.canParse(text) ? text : undefined),
    code: 'invalid_format',
    must: 'be a full URL without user info or fragment, such as https://example.com/hook',
  },
  email: {
    parse: parseEmail,
    code: 'invalid_format',
    must: 'be an email address, such as ada@example.com',
  },
  locale: {
    parse: parseLocale,
    code: 'invalid_format',
    must: 'be a language tag, such as en or de-CH',
  },
  timezone: {
    parse: (text) => (isTimezone(text) ? text : undefined),
    code: 'invalid_value',
    must: 'be a time zone, such as Europe/Zurich',
  },
  rrule: {
    parse: (text) => (isRecurrenceRule(text) ? text : undefined),
    code: 'invalid_value',
    must: 'be a supported recurrence rule, such as FREQ=WEEKLY;BYDAY=MO',
  },
}

/** Trims and lower-cases; demands one @ with text on both sides. */
function parseEmail(text: string): string | undefined {
  const address = text.trim().toLowerCase()
  return /^[^@\s\p{Cc}\p{Cs}]+@[^@\s\p{Cc}\p{Cs}]+$/u.test(address) ? address : undefined
}

/** The canonical spelling of a language tag. */
function parseLocale(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** Control characters, line breaks and lone surrogates. */
const FORBIDDEN_IN_LINE = {
  pattern: /[\p{Cc}\p{Cs}\u2028\u2029]/u,
  names: 'line breaks, control characters',
}

/**
 * Multiline text may contain TAB, LF and CR, filenames no slashes; `raw` is validated by its user.
 */
const FORBIDDEN_BY_FORMAT: Record<string, { pattern: RegExp; names: string }> = {
  text: { pattern: /(?![\t\n\r])\p{Cc}|\p{Cs}/u, names: 'control characters' },
  filename: {
    pattern: /[\p{Cc}\p{Cs}\u2028\u2029/\\]/u,
    names: 'slashes, line breaks, control characters',
  },
  raw: { pattern: /(?!)/, names: '' },
}

/** Creates the parser of a string schema (docs/spec/api.md#strings-numbers-times). */
export function createTextParser(schema: InputSchema): ValueParser {
  const { format = '', enum: words, pattern, minLength = 0, maxLength = Infinity } = schema
  const rule = FORMATS[format]
  const regExp = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  const expected = schema['x-expected']
  if (regExp && expected === undefined) throw new Error(`Describe the pattern ${pattern} in words`)
  const forbidden = FORBIDDEN_BY_FORMAT[format] ?? FORBIDDEN_IN_LINE
  const isTrimmed = format === 'line' || format === 'filename'
  const code = schema['x-fault']

  return (value, path, errors) => {
    const input = String(value)
    const reject = (defaultCode: FieldErrorCode, why: string) => {
      errors.push(fieldError(path, code ?? defaultCode, why))
      return undefined
    }
    if (words) {
      return words.includes(input)
        ? input
        : reject('invalid_value', `must be one of: ${words.join(', ')}`)
    }
    if (rule) {
      const parsed = rule.parse(input)
      return parsed === undefined ? reject(rule.code, `must ${rule.must}`) : checkLength(parsed)
    }
    const trimmed = isTrimmed ? input.trim() : input
    const text = format === 'filename' ? replaceBidiControls(trimmed) : trimmed
    // Before any regular expression runs: a text this long is too long in code points, too.
    if (text.length > 2 * maxLength) return rejectAsTooLong()
    if (regExp)
      return regExp.test(text) ? checkLength(text) : reject('invalid_format', `must be ${expected}`)
    if (forbidden.pattern.test(text)) {
      const why = `must not contain ${forbidden.names} or unpaired surrogates`
      return reject('invalid_characters', why)
    }
    return checkLength(text)

    function checkLength(text: string) {
      const length =
        text.length < 2 * minLength || text.length > maxLength ? codePointLength(text) : text.length
      if (length > maxLength) return rejectAsTooLong()
      const isBlank = minLength > 0 && format === 'text' && text.trim() === ''
      if (isBlank || length < minLength) {
        return reject(
          'too_short',
          minLength > 1 ? `must be at least ${minLength} characters` : 'must not be empty',
        )
      }
      return text
    }

    function rejectAsTooLong() {
      return reject('too_long', `must be at most ${maxLength} characters`)
    }
  }
}
