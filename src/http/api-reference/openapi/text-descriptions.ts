import { isTextPattern } from '../../openapi/text-formats.ts'
import { type Html, html, joinHtml } from '../html/html.ts'
import type { OpenApiSchema } from './openapi-types.ts'

/** Describes the texts that a schema allows, in words: "`me` or `usr_` id", "date", "color". */
export function describeText({ pattern = '', format = '', examples = [] }: OpenApiSchema): Html {
  const [, words = '', prefix] = /^\^\(?((?:[a-z]+\|)*)([a-z]{3})_\[/.exec(pattern) ?? []
  if (prefix !== undefined) {
    const choices = words.split('|').filter((word) => word !== '')
    const id = html`<code>${prefix}_</code> id`
    return joinHtml([...choices.map((word) => html`<code>${word}</code>`), id], ' or ')
  }
  if (isTextPattern(pattern)) {
    return pattern.includes('\\u2028') ? html`string of one line` : html`string`
  }
  const name = PATTERN_NAMES[pattern] ?? FORMAT_NAMES[format]
  if (name !== undefined) return name
  // An enum that may grow: its present values are examples.
  return examples.length > 1 ? html`string, such as ${joinCode(examples)}` : html`string`
}

export const joinCode = (values: readonly unknown[]): Html =>
  joinHtml(
    values.map(
      (value) => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`,
    ),
    ', ',
  )

const FORMAT_NAMES: Readonly<Record<string, Html>> = {
  date: html`date`,
  'date-time': html`timestamp`,
  uri: html`URL`,
  binary: html`bytes`,
}

const COLOR = html`color such as <code>#2563eb</code>`

/** A reader is not expected to read regular expressions. */
const PATTERN_NAMES: Readonly<Record<string, Html>> = {
  '^[!-~]+$': html`string of visible ASCII characters`,
  '^[a-z][a-z0-9_]{0,39}$': html`string of up to 40 lower-case letters, digits and <code>_</code>, beginning with a letter`,
  '^[A-Za-z0-9_.:-]{1,40}$': html`string of up to 40 letters, digits, <code>_</code>, <code>.</code>, <code>:</code> and <code>-</code>`,
  '^[a-z0-9][a-z0-9._-]*$': html`string of lower-case letters, digits, <code>.</code>, <code>_</code> and <code>-</code>, beginning with a letter or digit`,
  '^[A-Z][A-Z0-9]{1,9}$': html`2 to 10 capitals and digits, such as <code>ENG</code>`,
  '^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]*$': html`short id, such as <code>ENG-42</code>`,
  '^[0-9a-f]{64}$': html`SHA-256 in hexadecimal`,
  '^#[0-9a-f]{6}$': COLOR,
  '^#[0-9A-Fa-f]{6}$': COLOR,
  '^[Hh][Tt][Tt][Pp][Ss]?://': html`<code>http</code> or <code>https</code> URL`,
}
