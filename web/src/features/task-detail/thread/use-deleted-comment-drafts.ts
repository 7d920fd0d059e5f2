import { useEffect, useEffectEvent, useRef } from 'react'
import { hasPendingDeletion } from '../../../data/mutations/pending-patches.ts'
import { type Comment, isCommentDeleted, useComments } from '../../../data/resources/comments.ts'
import { deleteDraft, findDraftKeys, readDraft } from '../../../lib/state/drafts.ts'

/** What a viewer types as a reply to a comment, or as its new text. */
type CommentDraftKind = 'reply' | 'edit'

type CommentKey = Pick<Comment, 'id' | 'task_id'>

const getKeyPrefix = (task_id: string): string => `thread.${task_id}.`

/** Where a draft is kept. By the id of the task it is found also if its comment is deleted. */
export const getCommentDraftKey = (kind: CommentDraftKind, { id, task_id }: CommentKey): string =>
  `${getKeyPrefix(task_id)}${id}.${kind}`

/**
 * Hands over what the viewer has typed as a reply to a comment, or as its new text, once somebody else
 * has deleted the comment: no field would show it any more.
 */
export function useDeletedCommentDrafts(task_id: string, onText: (text: string) => void): void {
  const { comments, hasOlder } = useComments(task_id)
  const previous = useRef<readonly Comment[]>([])
  const prefix = getKeyPrefix(task_id)
  const handOver = useEffectEvent((ids: readonly string[]) => {
    const texts = ids
      .flatMap((id) => findDraftKeys(`${prefix}${id}.`))
      .flatMap((key) => {
        const text = readDraft(key)
        deleteDraft(key)
        return text ?? []
      })
    if (texts.length > 0) onText(texts.join('\n\n'))
  })
  // The fields of a deleted comment have stored their texts before: they are unmounted first.
  useEffect(() => {
    if (!comments) return
    const ids = new Set(comments.map(({ id }) => id))
    // Older ones may only have left the loaded pages.
    const oldest = hasOlder ? (comments[0]?.created_at ?? '') : ''
    const deleted = previous.current.filter(
      ({ id, created_at }) =>
        // What the viewer deletes needs no rescue.
        !ids.has(id) && created_at >= oldest && !hasPendingDeletion(id),
    )
    previous.current = comments
    handOver(deleted.map(({ id }) => id))
  }, [comments, hasOlder])

  const findUnlistedIds = useEffectEvent(() =>
    findDraftKeys(prefix)
      .map((key) => key.slice(prefix.length).replace(/\..*/, ''))
      .filter((id) => !comments?.some((one) => one.id === id))
      // By age, as in the thread.
      .toSorted(),
  )
  const isLoaded = comments !== undefined
  // Some may have been deleted while the task was not open. A list from the cache may lack others.
  useEffect(() => {
    if (!isLoaded) return
    let hasLeft = false
    const ids = findUnlistedIds()
    void Promise.all(ids.map(isCommentDeleted)).then((deleted) => {
      if (!hasLeft) handOver(ids.filter((_, at) => deleted[at]))
    })
    return () => {
      hasLeft = true
    }
  }, [isLoaded])
}
