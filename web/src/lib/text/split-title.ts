/** The length of a title in code points (docs/spec/api.md#task). */
export const MAX_TITLE_LENGTH = 500
/** A longer word at the end is cut. */
const MAX_DROPPED_LENGTH = 100

/**
 * The title and the description of a task from one line. The title of a line that is too long is
 * its beginning, up to the end of a word if there is one nearby, and the description all of it.
 */
export function splitTitle(line: string): { title: string; description?: string } {
  const characters = [...line]
  if (characters.length <= MAX_TITLE_LENGTH) return { title: line }
  // With the character after it, which may end a word.
  const beginning = characters.slice(0, MAX_TITLE_LENGTH + 1).join('')
  const endOfWord = beginning.search(new RegExp(`\\s+\\S{0,${MAX_DROPPED_LENGTH}}$`))
  const title =
    endOfWord > 0 ? beginning.slice(0, endOfWord) : characters.slice(0, MAX_TITLE_LENGTH).join('')
  return { title, description: line }
}
