import { sql } from 'kysely'
import {
  command,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'

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

/** The workspace of the first comment after one, in order of workspaces. */
export const workspaceOfNextComment = unscopedQuery(
  (db, $: { after_workspace: string; after: string }) =>
    db
      .selectFrom('comments')
      .select('workspace_id as id')
      .where(sql<boolean>`(workspace_id, id) > (${$.after_workspace}, ${$.after})`)
      .orderBy('workspace_id')
      .orderBy('id')
      .limit(1),
)

/** Comments of a workspace in order of their ids. */
export const commentsAfter = query((db, $: Scoped<{ after: string; limit: number }>) =>
  db
    .selectFrom('comments')
    .select(['id', 'body'])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

/** Saves the last comment whose words are indexed. */
export const saveCommentWordsProgress = unscopedCommand((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.value })),
)
