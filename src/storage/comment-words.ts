import { sql } from 'kysely'
import { command, commandOfAll, query, queryOfAll, row, type Scoped } from './statement.ts'

/** The words by which a comment is found, for the first time or in place of those before. They go with it. */
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
export const workspaceOfNextComment = queryOfAll(
  (db, $: { after_workspace: string; after: string }) =>
    db
      .selectFrom('comments')
      .select('workspace_id as id')
      .where(sql<boolean>`(workspace_id, id) > (${$.after_workspace}, ${$.after})`)
      .orderBy('workspace_id')
      .orderBy('id')
      .limit(1),
)

/** Comments of a workspace in order, as they are now. */
export const commentsAfter = query((db, $: Scoped<{ after: string; limit: number }>) =>
  db
    .selectFrom('comments')
    .select(['id', 'body'])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

/** Says up to which comment the words are written. */
export const markWords = commandOfAll((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values(row($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.value })),
)
