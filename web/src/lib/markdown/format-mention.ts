import { type Mentionable, uniqueIdsByName } from './mentions.ts'

/** What stands for a person while a text is edited: the name, or `<@usr_…>` if others have it too. */
export const formatMention = ({ id, name }: Mentionable, people: readonly Mentionable[]): string =>
  uniqueIdsByName(people).has(name) ? `@${name}` : `<@${id}>`
