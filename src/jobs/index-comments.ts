import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { installationValue } from '#db/installation/open-store.ts'
import {
  commentsAfter,
  saveCommentWordsProgress,
  workspaceOfNextComment,
  writeCommentWords,
} from '#db/tasks/comment-words.ts'
import { toIndexWords } from '#db/tasks/search-words.ts'

/** Its value is the workspace and the last indexed comment in it, or DONE. */
const VALUE_NAME = 'comment_words'
const DONE = 'done'
/** A comment has 64 kB at most, and its words are extracted on the event loop. */
const MAX_COMMENTS = 20

/**
 * Indexes comments written before search covered comments: once, a few at each step, and continues
 * after a restart. Until it is done a search misses some comments. Indexing a comment twice is
 * harmless.
 */
export const indexComments = (storage: Storage) => async (): Promise<boolean> => {
  const progress = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.one(installationValue, { name: VALUE_NAME }),
  )
  if (progress?.value === DONE) return false
  const [after_workspace = '', after = ''] = progress?.value.split(' ') ?? []
  const [next] = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(workspaceOfNextComment, { after_workspace, after }),
  )
  if (!next) {
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(saveCommentWordsProgress, { name: VALUE_NAME, value: DONE }),
    )
    return false
  }
  const startAfter = next.id === after_workspace ? after : ''
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: next.id }
  // Reads within the write: no other write can change a comment in between.
  await storage.write(actor, (tx) => indexAfter(tx, next.id, startAfter))
  return true
}

async function indexAfter(tx: WriteTx, workspace_id: string, after: string): Promise<void> {
  const comments = await tx.all(commentsAfter, { after, limit: MAX_COMMENTS })
  for (const { id, body } of comments) {
    await tx.run(writeCommentWords, { id, words: toIndexWords(workspace_id, body) })
  }
  const last = comments.at(-1)?.id ?? after
  await tx.run(saveCommentWordsProgress, { name: VALUE_NAME, value: `${workspace_id} ${last}` })
}
