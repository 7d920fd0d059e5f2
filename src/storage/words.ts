import { wordsOf } from '#lib/words.ts'

/** No word holds it, and SQLite's tokenizer takes it for a letter, as it does all beyond ASCII. */
const BETWEEN = '\u00a6'

/**
 * Words as they lie in the index, by spaces. Each begins with a mark of the workspace (the random end
 * of its id), so that a search walks only through the words of its own.
 */
export function indexed(workspace_id: string, text: string): string {
  const mark = workspace_id.slice(-8) + BETWEEN
  return wordsOf(text)
    .map((word) => mark + word)
    .join(' ')
}

/** What a search in tasks looks at. */
export const searchable = (title: string, description: string | null): string =>
  description === null ? title : `${title}\n${description}`
