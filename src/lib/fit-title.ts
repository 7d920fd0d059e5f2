import { toOneLine } from './one-line.ts'

/** The length of a title in code points (docs/spec/api.md#task). */
export const MAX_TITLE_LENGTH = 500
/** A longer word at the end is cut. */
const MAX_DROPPED_LENGTH = 100

/**
 * The title and the description of a task from any text. The title of a text that is too long is its
 * beginning, up to the end of a word if there is one nearby, and the description all of it.
 */
export function fitTitle(text: string): { title: string; description?: string } {
  const line = toOneLine(text)
  // With the character after it, which may end a word. No character has more than two code units.
  const beginning = [...line.slice(0, 2 * MAX_TITLE_LENGTH + 2)].slice(0, MAX_TITLE_LENGTH + 1)
  if (beginning.length <= MAX_TITLE_LENGTH) return { title: line }
  const endOfWord = beginning.lastIndexOf(' ')
  const end =
    endOfWord > 0 && endOfWord >= MAX_TITLE_LENGTH - MAX_DROPPED_LENGTH
      ? endOfWord
      : MAX_TITLE_LENGTH
  return { title: beginning.slice(0, end).join('').trim(), description: text }
}
