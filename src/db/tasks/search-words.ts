import { sql } from 'kysely'
import { extractSearchWords, hasAllWords, isWholeWord } from '#lib/search-words.ts'
import { command, type Scoped } from '../core/statement.ts'

/** Inserts or replaces a comment's words in the search index. They are deleted with the comment. */
export const writeCommentWords = command(
  (db, $: Scoped<{ id: string; words: string }>, { engine }) => {
    if (engine === 'sqlite') {
      const number = db
        .selectFrom('searched_comments')
        .select('search_id')
        .where('comment_id', '=', $.id)
      return db
        .replaceInto('comment_words')
        .columns(['rowid', 'words'])
        .expression(sql`values (${number}, ${$.words})`)
    }
    return db
      .insertInto('comment_words')
      .values((is) => ({
        workspace_id: $.workspace_id,
        comment_id: $.id,
        words: is.fn<string>('array_to_tsvector', [
          is.fn('string_to_array', [is.val($.words), is.val(' ')]),
        ]),
      }))
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'comment_id'])
          .doUpdateSet({ words: (is) => is.ref('excluded.words') }),
      )
  },
)

/** No word contains it, and SQLite's tokenizer treats all characters beyond ASCII as letters. */
const SEPARATOR = '\u00a6'

/**
 * The words of a text as they are indexed, separated by spaces. Each begins with a prefix for the
 * workspace (the random end of its id), so that a search reads only the words of its own workspace.
 */
export function toIndexWords(workspace_id: string, text: string): string {
  const prefix = workspace_id.slice(-8) + SEPARATOR
  return extractSearchWords(text)
    .map((word) => prefix + word)
    .join(' ')
}

/**
 * The words of a search as the statements of `Dialect` bind them, separated by spaces. A star marks
 * those that also match as a prefix.
 */
export function toIndexQuery(workspace_id: string, words: readonly string[]): string {
  const prefix = workspace_id.slice(-8) + SEPARATOR
  return words.map((word) => prefix + word + (isWholeWord(word) ? '' : '*')).join(' ')
}

/** Whether a task has the words of such a search: what the index would find, from its text. */
export const hasSearchWords = (title: string, description: string | null, search: string) =>
  hasAllWords(toSearchableText(title, description), parseIndexQuery(search))

/** The last search: a statement asks about each task that it comes to. */
let parsed: { search: string; words: readonly string[] } = { search: '', words: [] }

function parseIndexQuery(search: string): readonly string[] {
  if (parsed.search === search) return parsed.words
  const words = search
    .split(' ')
    .map((word) => word.slice(word.indexOf(SEPARATOR) + 1).replace('*', ''))
  parsed = { search, words }
  return words
}

/** The text of a task that is searched. */
export const toSearchableText = (title: string, description: string | null): string =>
  description === null ? title : `${title}\n${description}`
