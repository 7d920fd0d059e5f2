import { cutText } from './cut-text.ts'
import { toOneLine } from './one-line.ts'

/** The length of a title in code points (docs/spec/api.md#task). */
export const MAX_TITLE_LENGTH = 500
const TOO_LONG = /^.{501}/su
/** Up to the end of a word, unless more than a hundred characters would be dropped for that. */
const BEGINNING = /^.{400,500}(?= )|^.{500}/su

/**
 * The title and the description of a task from any text. The title of a text that is too long is its
 * beginning, up to the end of a word if there is one nearby, and the description all of it.
 */
export function fitTitle(text: string): { title: string; description?: string } {
  const line = toOneLine(text)
  if (!TOO_LONG.test(line)) return { title: line }
  const [beginning = line] = BEGINNING.exec(line) ?? []
  const title = cutText(line, beginning.length).trim()
  return { title, description: text }
}
