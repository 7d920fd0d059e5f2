import { NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import {
  commentsAfter,
  markWords,
  workspaceOfNextComment,
  writeCommentWords,
} from '#storage/comment-words.ts'
import { installationValue } from '#storage/open.ts'
import { indexed } from '#storage/words.ts'

/** Its value: the last comment that is done and its workspace; or DONE. */
const NAME = 'comment_words'
const DONE = 'done'
/** A comment has 64 kB at most, and its words are made on the event loop. */
const AT_ONCE = 20

/**
 * Writes the words of comments that were there before they had any: once, a few at each step, going on
 * after a restart where it was. Until then a search finds fewer. What it writes again is the same.
 */
export const indexComments = (storage: Storage) => async (): Promise<boolean> => {
  const marked = await storage.read(NOBODY, (tx) => tx.one(installationValue, { name: NAME }))
  if (marked?.value === DONE) return false
  const [after_workspace = '', after = ''] = marked?.value.split(' ') ?? []
  const [next] = await storage.read(NOBODY, (tx) =>
    tx.all(workspaceOfNextComment, { after_workspace, after }),
  )
  if (!next) {
    await storage.write(NOBODY, (tx) => tx.run(markWords, { name: NAME, value: DONE }))
    return false
  }
  const beginning = next.id === after_workspace ? after : ''
  const actor = { ...NOBODY, workspace_id: next.id }
  // Read within the write: no other one can change a comment in between.
  await storage.write(actor, (tx) => indexAfter(tx, next.id, beginning))
  return true
}

async function indexAfter(tx: WriteTx, workspace_id: string, after: string): Promise<void> {
  const comments = await tx.all(commentsAfter, { after, limit: AT_ONCE })
  for (const { id, body } of comments) {
    await tx.run(writeCommentWords, { id, words: indexed(workspace_id, body) })
  }
  const last = comments.at(-1)?.id ?? after
  await tx.run(markWords, { name: NAME, value: `${workspace_id} ${last}` })
}
