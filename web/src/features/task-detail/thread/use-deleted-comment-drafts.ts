import { useEffect, useEffectEvent, useRef } from 'react'
import { hiddenRecords } from '../../../data/mutations/hidden-records.ts'
import { type Comment, useComments } from '../../../data/resources/comments.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { deleteDraft, readDraft } from '../../../lib/state/drafts.ts'

/**
 * Hands over what the viewer has typed as a reply to a comment, or as its new text, once somebody else
 * has deleted the comment: no field would show it any more.
 */
export function useDeletedCommentDrafts(task_id: string, onText: (text: string) => void): void {
  const { comments, hasOlder } = useComments(task_id)
  const hidden = useAtom(hiddenRecords)
  const previous = useRef<readonly Comment[]>([])
  const handOver = useEffectEvent(onText)
  // The fields of a deleted comment have stored their texts before: they are unmounted first.
  useEffect(() => {
    if (!comments) return
    const ids = new Set(comments.map(({ id }) => id))
    // Older ones may only have left the loaded pages.
    const oldest = hasOlder ? (comments[0]?.created_at ?? '') : ''
    const texts = previous.current
      .filter(({ id, created_at }) => !ids.has(id) && created_at >= oldest)
      .flatMap(({ id }) => [`reply.${id}`, `edit.${id}`])
      .flatMap((key) => {
        const text = readDraft(key)
        deleteDraft(key)
        return text ?? []
      })
    // The viewer deletes those that are hidden, and knows.
    previous.current = comments.filter(({ id }) => !hidden.has(id))
    if (texts.length > 0) handOver(texts.join('\n\n'))
  }, [comments, hasOlder, hidden])
}
