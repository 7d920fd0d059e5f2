import { useEffect, useEffectEvent, useRef } from 'react'
import { hiddenRecords } from '../../../data/mutations/hidden-records.ts'
import {
  type Comment,
  filterDeletedComments,
  useComments,
} from '../../../data/resources/comments.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { deleteDraft, findDraftKeys, readDraft, saveDraft } from '../../../lib/state/drafts.ts'

/** What a viewer types as a reply to a comment, or as its new text. */
type CommentDraftKind = 'reply' | 'edit'
const KINDS: readonly CommentDraftKind[] = ['reply', 'edit']

type CommentKey = Pick<Comment, 'id' | 'task_id'>

/** Where a draft is kept. With the id of the task it is found also if its comment is deleted. */
export const getCommentDraftKey = (kind: CommentDraftKind, { id, task_id }: CommentKey): string =>
  `${kind}.${task_id}.${id}`

/** Moves a draft to its key from the one without a task, under which version 1.0.0-rc.1 stored it. */
export function adoptCommentDraft(kind: CommentDraftKind, comment: CommentKey): void {
  const formerKey = `${kind}.${comment.id}`
  const text = readDraft(formerKey)
  if (text === undefined || !saveDraft(getCommentDraftKey(kind, comment), text)) return
  deleteDraft(formerKey)
}

/**
 * Hands over what the viewer has typed as a reply to a comment, or as its new text, once somebody else
 * has deleted the comment: no field would show it any more.
 */
export function useDeletedCommentDrafts(task_id: string, onText: (text: string) => void): void {
  const { comments, hasOlder } = useComments(task_id)
  const hidden = useAtom(hiddenRecords)
  const previous = useRef<readonly Comment[]>([])
  const handOver = useEffectEvent((ids: readonly string[]) => {
    const texts = ids
      .flatMap((id) => KINDS.map((kind) => getCommentDraftKey(kind, { id, task_id })))
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
      ({ id, created_at }) => !ids.has(id) && created_at >= oldest,
    )
    // The viewer deletes those that are hidden, and knows.
    previous.current = comments.filter(({ id }) => !hidden.has(id))
    handOver(deleted.map(({ id }) => id))
  }, [comments, hasOlder, hidden])

  const findUnlistedIds = useEffectEvent(() => {
    const prefixes = KINDS.map((kind) => getCommentDraftKey(kind, { id: '', task_id }))
    const ids = prefixes.flatMap((prefix) =>
      findDraftKeys(prefix).map((key) => key.slice(prefix.length)),
    )
    return [...new Set(ids)].filter((id) => !comments?.some((one) => one.id === id))
  })
  const isLoaded = comments !== undefined
  // Some may have been deleted while the task was not open. A list from the cache may lack others.
  useEffect(() => {
    if (!isLoaded) return
    let hasLeft = false
    void filterDeletedComments(findUnlistedIds()).then((ids) => {
      if (!hasLeft) handOver(ids)
    })
    return () => {
      hasLeft = true
    }
  }, [isLoaded])
}
