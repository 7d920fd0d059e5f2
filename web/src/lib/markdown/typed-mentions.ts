import { replaceOutsideCode } from '#lib/markdown-code.ts'
import { escapePattern } from '../text/escape-pattern.ts'
import { type Mentionable, uniqueIdsByName } from './mentions.ts'

/**
 * The text for the API: `<@usr_…>` for a typed `@Mei Tanaka`; longer names match first. Lines that
 * are as they were in the source before it was edited stay so.
 */
export function mentionNamesToIds(
  text: string,
  people: readonly Mentionable[],
  source = '',
): string {
  const names = uniqueIdsByName(people)
  if (names.size === 0) return text
  const longest = [...names.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}@])@(${longest.map(escapePattern).join('|')})(?![\\p{L}\\p{N}])`,
    'gu',
  )
  const [from, to] = findChangedLines(text, source)
  return replaceOutsideCode(text, (part, start) =>
    part.replace(pattern, (whole, name, at: number) =>
      start + at >= from && start + at < to && names.has(name) ? `<@${names.get(name)}>` : whole,
    ),
  )
}

/** The range of the text without the lines at its beginning and end that the source has, too. */
function findChangedLines(text: string, source: string): [from: number, to: number] {
  const [lines, others] = [text.split('\n'), source.split('\n')]
  const most = Math.min(lines.length, others.length)
  let first = 0
  while (first < most && lines[first] === others[first]) first += 1
  let last = 0
  while (last < most - first && lines.at(-1 - last) === others.at(-1 - last)) last += 1
  const lengthOf = (some: string[]) => some.reduce((sum, line) => sum + line.length + 1, 0)
  return [lengthOf(lines.slice(0, first)), text.length - lengthOf(lines.slice(lines.length - last))]
}

/**
 * The name, of at most four words, being typed after an `@` or `#` at the end of a text. Each word but
 * the last has its space, so that a long text can be read in one way only.
 */
export function findMarkedName(text: string): { mark: string; typed: string } {
  const [, mark = '', typed = ''] = /(?:^|\s)([@#])((?:[^\s@#]+ ){0,3}[^\s@#]*)$/u.exec(text) ?? []
  return { mark, typed }
}

/** The name being typed after an `@` before the caret, and the position of the `@`. */
export function findMentionAt(
  text: string,
  caret: number,
): { from: number; typed: string } | undefined {
  const found = /(?:^|[\s([{])@([\p{L}\p{N}._'’-]*(?: [\p{L}\p{N}._'’-]*)?)$/u.exec(
    text.slice(0, caret),
  )
  const typed = found?.[1]
  return typed === undefined ? undefined : { from: caret - typed.length - 1, typed }
}

/**
 * The words being typed after a `#` before the caret, and the position of the `#`: at most three, which
 * name a task. A space after the `#` begins a heading.
 */
export function findTaskWordsAt(
  text: string,
  caret: number,
): { from: number; typed: string } | undefined {
  const found = /(?:^|[\s([{])#([\p{L}\p{N}][\p{L}\p{N}-]*(?: [\p{L}\p{N}-]*){0,2})?$/u.exec(
    text.slice(0, caret),
  )
  if (!found) return undefined
  const [, typed = ''] = found
  return { from: caret - typed.length - 1, typed }
}
