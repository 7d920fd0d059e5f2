import { sql } from 'kysely'
import { command, type Scoped } from '../core/statement.ts'

/** Inserts or replaces a comment's words in the search index. They are deleted with the comment. */
export const writeCommentWords = command(
  (db, $: Scoped<{ id: string; words: string }>, { engine }) => {
    if (engine === 'sqlite') {
      const number = db
        .selectFrom('searched_comments')
        .select('search_id')
        .where('workspace_id', '=', $.workspace_id)
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
