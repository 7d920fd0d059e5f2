import { replaceOutsideCode } from '#lib/markdown-code.ts'

/** A person who can be mentioned. */
export interface Mentionable {
  id: string
  name: string
  email?: string | null
}

const TOKEN = /<@(usr_[0-9a-hjkmnp-tv-z]{26})>/g

/** The source for editing: `@Mei Tanaka` for `<@usr_…>`, unless several people have that name. */
export function mentionIdsToNames(source: string, people: readonly Mentionable[]): string {
  const names = uniqueIdsByName(people)
  const of = new Map([...names].map(([name, id]) => [id, name]))
  return replaceOutsideCode(source, (text) =>
    text.replace(TOKEN, (token, id) => (of.has(id) ? `@${of.get(id)}` : token)),
  )
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
