import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Comment, getComment, listTaskComments } from '#resources/comments/contract.ts'
import type { restoreComment } from '#resources/comments/internal.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { type CallInput, requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { atom, useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { type Reversal, showToast } from '../app/toasts.ts'
import { queryClient, refetchSoon } from '../cache/query-client.ts'
import { repeatRunningRead } from '../cache/repeat-running-read.ts'
import { hideRecord, showRecord } from '../mutations/hidden-records.ts'
import { cancelMutation, mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches } from '../mutations/pending-patches.ts'
import {
  enqueueRecordEdit,
  enqueueRecordMutation,
  findRecordEdits,
  showNotDone,
} from '../mutations/record-mutations.ts'
import { newerOf } from '../mutations/record-revision.ts'
import { type CommentPage, changeCommentPages } from './comment-pages.ts'

export type { Comment }

type CommentPages = InfiniteData<CommentPage<Comment>, string>

const PAGE_SIZE = 50

/** The comments of a task, oldest first. Pages are loaded from the newest backwards. */
export function useComments(task_id: string) {
  const read = useInfiniteQuery({
    queryKey: ['comments', task_id],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam ? { cursor: pageParam } : {}
      const query: CallInput<typeof listTaskComments>['query'] = {
        sort: '-created_at',
        limit: PAGE_SIZE,
        ...cursor,
      }
      const sent = { params: { id: task_id }, query }
      return requestEndpoint<typeof listTaskComments>('GET /api/v1/tasks/:id/comments', sent, {
        signal,
      })
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }: CommentPage<Comment>) => next_cursor ?? undefined,
  })
  const { data } = read
  const loaded = useMemo(() => data?.pages.flatMap((page) => page.data).toReversed(), [data])
  return {
    comments: useWithPendingPatches(loaded),
    error: read.error,
    hasOlder: read.hasNextPage,
    loadOlder: () => void read.fetchNextPage(),
    retry: () => void read.refetch(),
  }
}

/** Whether a comment is deleted; false if the server does not answer. */
export const isCommentDeleted = (id: string): Promise<boolean> =>
  requestEndpoint<typeof getComment>('GET /api/v1/comments/:id', { params: { id } }).then(
    () => false,
    (error: unknown) => error instanceof ApiResponseError && error.status === 404,
  )

/** An unacknowledged comment that is already shown; stored in this browser as JSON. */
export interface PendingComment {
  key: string
  task_id: string
  parent_id: string | null
  body: string
  created_at: string
}

/** Comments that are being sent. Whether one is stuck shows in the mutation queue, by its key. */
export const pendingComments = atom<readonly PendingComment[]>([])

type NewComment = Pick<PendingComment, 'task_id' | 'body' | 'parent_id'>

/**
 * Creates a comment: shown at once and queued. Its text is stored until it is acknowledged. Its undo takes
 * it back, or deletes it once it was sent.
 */
export const addComment = (comment: NewComment): void =>
  void showToast({
    text: recordChangeMessages.commentAdded,
    undo: queueComment(comment),
    // One sees the comment.
    isOpen: false,
  })

/** The ids that the server has given to comments of this page, by the keys of their mutations. */
const createdIds = new Map<string, string>()
/** The comments that are to be deleted once the server has created them. */
const withdrawnKeys = new Set<string>()

/** Queues a comment, and returns what takes it back. */
function queueComment(comment: NewComment): Reversal {
  const key = crypto.randomUUID()
  const pending = { ...comment, key, created_at: new Date().toISOString() }
  pendingComments.set([...pendingComments.get(), pending])
  mutationLog.add({
    key,
    queueKey: `comments of ${comment.task_id}`,
    label: recordChangeMessages.comment,
    payload: { kind: 'comment', comment: pending },
  })
  return () => {
    const id = createdIds.get(key)
    if (id) return queueCommentDeletion({ id, task_id: comment.task_id })
    removePendingComment(key)
    if (!cancelMutation(key)) withdrawnKeys.add(key)
    return () => queueComment(comment)
  }
}

/** Shows a comment that is not sent any more, or was created, no longer as pending. */
export const removePendingComment = (key: string): void =>
  pendingComments.set(pendingComments.get().filter((one) => one.key !== key))

/** Records that the server has created a comment, and deletes it if that was undone meanwhile. */
export function recordCreatedComment(key: string, { id, task_id }: CommentOfTask): void {
  createdIds.set(key, id)
  if (withdrawnKeys.delete(key)) queueCommentDeletion({ id, task_id })
}

/** Changes the text of one's own comment, from how it was when editing began. */
export function updateCommentText(comment: Comment, body: string): void {
  // A refused text is shown, but was never saved: below it, somebody may have changed the comment.
  const refused = findRecordEdits(comment.id).find(({ refusal }) => refusal)?.payload
  enqueueRecordEdit({
    kind: 'comment-edit',
    label: recordChangeMessages.commentChange,
    base: refused?.kind === 'comment-edit' ? refused.base : comment,
    patch: { body },
    text: body,
  })
}

/** The new text of a comment that somebody has changed since; it waits for the person's choice. */
export function useCommentConflict(id: string) {
  const mutations = useAtom(mutationQueue)
  for (const { key, payload, refusal } of mutations) {
    if (!refusal || payload.kind !== 'comment-edit' || payload.base.id !== id) continue
    if (payload.mergeBase) return { ...payload, key, mergeBase: payload.mergeBase }
  }
}

type CommentOfTask = Pick<Comment, 'id' | 'task_id'>

/** Deletes a comment, which is hidden at once. Its toast can undo that, also once it was sent. */
export const deleteCommentWithUndo = (comment: CommentOfTask): void =>
  void showToast({
    text: recordChangeMessages.commentDeleted,
    undo: queueCommentDeletion(comment),
    isInTrash: true,
  })

/** Queues the deletion of a comment, and returns what takes it back. */
export function queueCommentDeletion({ id, task_id }: CommentOfTask): Reversal {
  const key = crypto.randomUUID()
  hideRecord(id)
  const payload = { kind: 'deletion', noun: 'comment', id, parent_id: task_id } as const
  mutationLog.add({ key, queueKey: id, label: recordChangeMessages.commentDeleted, payload })
  return () => {
    if (cancelMutation(key)) showRecord(id)
    else queueCommentRestoration({ id, task_id })
    return () => queueCommentDeletion({ id, task_id })
  }
}

/** Queues the restoration of a comment, which is not shown before the server has restored it. */
export function queueCommentRestoration(
  { id, task_id }: CommentOfTask,
  onRestored?: () => void,
): void {
  const label = recordChangeMessages.commentRestoration
  enqueueRecordMutation<typeof restoreComment>({
    queueKey: id,
    label,
    address: 'POST /internal/comments/:id/restore',
    sent: { params: { id }, body: {} },
    queries: ['comments', 'search', 'trash'],
    onReply() {
      for (const queryKey of [['comments', task_id], ['search'], ['trash']]) refetchSoon(queryKey)
      onRestored?.()
    },
    onRejected: (error) => showNotDone(label, error),
  })
}

/** Replaces a comment in the cached pages of its task. */
export const replaceComment = (comment: Comment): void =>
  patchCommentPages(comment.task_id, (comments) =>
    comments.map((one) => (one.id === comment.id ? newerOf(one, comment) : one)),
  )

/** Changes the cached pages, newest first; a new comment goes to the head of the newest page. */
export function patchCommentPages(
  task_id: string,
  change: (comments: Comment[]) => Comment[],
): void {
  const queryKey = ['comments', task_id]
  queryClient.setQueryData<CommentPages>(queryKey, (pages) => {
    return pages && { ...pages, pages: changeCommentPages(pages.pages, change) }
  })
  void repeatRunningRead(queryClient, queryKey)
}
