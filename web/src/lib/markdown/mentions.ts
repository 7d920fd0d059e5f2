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

/** A mention in an excerpt, whose mark may have been cut off in front. */
const READ_TOKEN = /(?:<@)?(usr_[0-9a-hjkmnp-tv-z]{26})>?/g

/** An excerpt for reading: `@Mei Tanaka` for each mention, and nothing of one that its end cuts off. */
export const readMentions = (excerpt: string, nameOf: (user_id: string) => string): string =>
  excerpt.replace(READ_TOKEN, (_, id) => `@${nameOf(id)}`).replace(/<@?\w*$/, '…')

/** Ids by name, without names that several people share. */
export function uniqueIdsByName(people: readonly Mentionable[]): Map<string, string> {
  const counts = Map.groupBy(people, ({ name }) => name)
  return new Map(
    people
      .filter(({ name }) => name !== '' && counts.get(name)?.length === 1)
      .map(({ id, name }) => [name, id]),
  )
}
