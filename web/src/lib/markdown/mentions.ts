/** A person who can be mentioned. */
export interface Mentionable {
  id: string
  name: string
  email?: string | null
}

const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/
const TOKEN = /<@(usr_[0-9a-hjkmnp-tv-z]{26})>/g

/** The source for editing: `@Mei Tanaka` for `<@usr_…>`, unless several people have that name. */
export function mentionIdsToNames(source: string, people: readonly Mentionable[]): string {
  const names = uniqueIdsByName(people)
  const of = new Map([...names].map(([name, id]) => [id, name]))
  return replaceOutsideCode(source, (text) =>
    text.replace(TOKEN, (token, id) => (of.has(id) ? `@${of.get(id)}` : token)),
  )
}

/** The text for the API: `<@usr_…>` for `@Mei Tanaka`; longer names match first. */
export function mentionNamesToIds(text: string, people: readonly Mentionable[]): string {
  const names = uniqueIdsByName(people)
  if (names.size === 0) return text
  const longest = [...names.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}@])@(${longest.map(RegExp.escape).join('|')})(?![\\p{L}\\p{N}])`,
    'gu',
  )
  return replaceOutsideCode(text, (part) =>
    part.replace(pattern, (whole, name) => (names.has(name) ? `<@${names.get(name)}>` : whole)),
  )
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

/** Ids by name, without names that several people share. */
export function uniqueIdsByName(people: readonly Mentionable[]): Map<string, string> {
  const counts = Map.groupBy(people, ({ name }) => name)
  return new Map(
    people
      .filter(({ name }) => name !== '' && counts.get(name)?.length === 1)
      .map(({ id, name }) => [name, id]),
  )
}

const replaceOutsideCode = (source: string, change: (text: string) => string): string =>
  source
    .split(CODE)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('')
