import { isDay, isTimezone, toTimestamp } from '#lib/days.ts'
import { lengthOf } from '#lib/fold.ts'
import { isRule } from '#lib/recurrence.ts'
import { type FaultCode, fault } from './fault.ts'
import type { Check, Schema } from './read.ts'

/**
 * An absolute address of the web in the one notation that everybody reads alike: URL itself drops
 * tabs, takes `\` for `/`, and finds a host in `https:example.com`.
 */
const WEB_ADDRESS = /^https?:\/\/[^/?#@\\\s\p{Cc}\p{Cs}]+(?:[/?][^#\s\p{Cc}\p{Cs}]*)?$/iu

/** What a format does to a text: gives its stored form, or undefined where it is not of the format. */
const FORMATS: Record<
  string,
  { read: (text: string) => string | undefined; code: FaultCode; must: string }
> = {
  date: {
    read: (text) => (isDay(text) ? text : undefined),
    code: 'invalid_format',
    must: 'be a date such as 2026-03-31',
  },
  'date-time': {
    read: toTimestamp,
    code: 'invalid_format',
    must: 'be a time such as 2026-03-31T09:30:00Z, with its offset',
  },
  color: {
    read: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined),
    code: 'invalid_format',
    must: 'be a colour such as #22c55e',
  },
  iri: {
    read: (text) => (WEB_ADDRESS.test(text) && URL.canParse(text) ? text : undefined),
    code: 'invalid_format',
    must: 'be an absolute address such as https://example.com/hook, without user or fragment',
  },
  email: {
    read: emailIn,
    code: 'invalid_format',
    must: 'be an e-mail address such as ada@example.com',
  },
  locale: {
    read: localeIn,
    code: 'invalid_format',
    must: 'be a language tag such as en or de-CH',
  },
  timezone: {
    read: (text) => (isTimezone(text) ? text : undefined),
    code: 'invalid_value',
    must: 'be a time zone such as Europe/Zurich',
  },
  rrule: {
    read: (text) => (isRule(text) ? text : undefined),
    code: 'invalid_value',
    must: 'be a recurrence rule that Docket takes, such as FREQ=WEEKLY;BYDAY=MO',
  },
}

/** Trimmed and lower-cased, with one @ and something on both sides of it. */
function emailIn(text: string): string | undefined {
  const address = text.trim().toLowerCase()
  return /^[^@\s\p{Cc}\p{Cs}]+@[^@\s\p{Cc}\p{Cs}]+$/u.test(address) ? address : undefined
}

/** A language tag in its usual spelling. */
function localeIn(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** Control characters and half surrogate pairs are refused. */
const REFUSED_IN_LINE = /[\p{Cc}\p{Cs}\u2028\u2029]/u

/** Several lines may hold TAB, LF and CR; names of files no slashes; `raw` is judged elsewhere. */
const REFUSED: Record<string, RegExp> = {
  text: /(?![\t\n\r])\p{Cc}|\p{Cs}/u,
  filename: /[\p{Cc}\p{Cs}\u2028\u2029/\\]/u,
  raw: /(?!)/,
}

/** Makes the check of a string schema (contract 1.4). */
export function readText(schema: Schema): Check {
  const { format = '', enum: words, pattern, minLength = 0, maxLength = Infinity } = schema
  const form = FORMATS[format]
  const wanted = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  const refused = REFUSED[format] ?? REFUSED_IN_LINE
  const trims = format === 'line' || format === 'filename'
  const code = schema['x-fault']

  return (value, path, faults) => {
    const given = String(value)
    const no = (usual: FaultCode, why: string) => {
      faults.push(fault(path, code ?? usual, why))
      return undefined
    }
    if (words) {
      return words.includes(given)
        ? given
        : no('invalid_value', `must be one of: ${words.join(', ')}`)
    }
    if (form) {
      const read = form.read(given)
      return read === undefined ? no(form.code, `must ${form.must}`) : within(read)
    }
    const text = trims ? given.trim() : given
    // Long texts are not searched: what is too long by any count is refused first.
    if (text.length > 2 * maxLength)
      return no('too_long', `must have at most ${maxLength} characters`)
    if (wanted)
      return wanted.test(text)
        ? within(text)
        : no('invalid_format', `must be of the form ${pattern}`)
    if (refused.test(text)) return no('invalid_characters', 'holds characters that are not allowed')
    return within(text)

    function within(text: string) {
      const length =
        text.length < 2 * minLength || text.length > maxLength ? lengthOf(text) : text.length
      if (length > maxLength) return no('too_long', `must have at most ${maxLength} characters`)
      const empty = minLength > 0 && format === 'text' && text.trim() === ''
      if (empty || length < minLength) {
        return no(
          'too_short',
          minLength > 1 ? `must have at least ${minLength} characters` : 'must not be empty',
        )
      }
      return text
    }
  }
}
