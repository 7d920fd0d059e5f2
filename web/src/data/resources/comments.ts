import { useMutation } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Comment, getComment, listTaskComments } from '#resources/comments/contract.ts'
import type { restoreComment } from '#resources/comments/internal.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import {
  type CallInput,
  requestEndpoint,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { derive, hasSameItems, useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { type Reversal, showToast, undoOf } from '../app/toasts.ts'
import { refetchSoon } from '../cache/query-client.ts'
import type { NewMutation } from '../mutations/mutation-entry.ts'
import { mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches } from '../mutations/pending-patches.ts'
import {
  enqueueRecordEdit,
  enqueueRecordMutation,
  findRecordEdits,
  queueDeletion,
} from '../mutations/record-mutations.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'
import { byCreation, createLists, takeRecord, useHeldList } from './held-records.ts'
import { pendingCreations } from './pending-creations.ts'

export type { Comment }

const PAGE_SIZE = 50

/** How far back the comments of a task are loaded: from this time on, and where the older ones begin. */
interface LoadedPages {
  from: string
  next_cursor: string
}
const loadedPages = new Map<string, LoadedPages>()

/**
 * The ids of older comments while they are taken. Their reply may be of an earlier number than the list,
 * which would otherwise count as knowing that they are not there.
 */
let arrivingIds: ReadonlySet<string> = new Set()

export const commentsOf = createLists<Comment>('comments', {
  /** Pages are loaded from the newest backwards; once again so far as before. */
  async load(id) {
    const { from } = loadedPages.get(id) ?? {}
    const comments: Comment[] = []
    let n: number | undefined
    let cursor = ''
    do {
      const { body, changeNumber } = await readPage(id, cursor)
      n ??= changeNumber
      comments.push(...body.data)
      cursor = body.next_cursor ?? ''
    } while (cursor !== '' && from !== undefined && (comments.at(-1)?.created_at ?? '') > from)
    setLoadedPages(id, comments, cursor)
    return { records: comments.map((record) => ({ type: 'comment', record })), n }
  },
  pick: ({ type, record }, id) =>
    type === 'comment' && record.task_id === id ? record : undefined,
  lacks: ({ record }) => arrivingIds.has(record.id),
  compare: byCreation,
})

function readPage(id: string, cursor: string) {
  const query: CallInput<typeof listTaskComments>['query'] = {
    sort: '-created_at',
    limit: PAGE_SIZE,
    ...(cursor !== '' && { cursor }),
  }
  const from = 'GET /api/v1/tasks/:id/comments'
  return requestEndpointForResult<typeof listTaskComments>(from, { params: { id }, query })
}

function setLoadedPages(id: string, comments: readonly Comment[], next_cursor: string): void {
  if (next_cursor === '') loadedPages.delete(id)
  else loadedPages.set(id, { from: comments.at(-1)?.created_at ?? '', next_cursor })
}

/** The comments of a task, oldest first. Pages are loaded from the newest backwards. */
export function useComments(task_id: string) {
  const { records, error, retry } = useHeldList(commentsOf(task_id))
  const older = useMutation({
    async mutationFn({ next_cursor }: LoadedPages) {
      const { body, changeNumber } = await readPage(task_id, next_cursor)
      arrivingIds = new Set(body.data.map(({ id }) => id))
      const taken = body.data.map((record) => takeRecord({ type: 'comment', record }, changeNumber))
      arrivingIds = new Set()
      setLoadedPages(task_id, body.data, body.next_cursor ?? '')
      await Promise.all(taken)
    },
  })
  const pages = loadedPages.get(task_id)
  const from = pages?.from
  // Somebody may have changed an older one, between which and these others are missing.
  const loaded = useMemo(
    () => (from === undefined ? records : records?.filter(({ created_at }) => created_at >= from)),
    [records, from],
  )
  return {
    comments: useWithPendingPatches(loaded),
    error: error ?? older.error,
    hasOlder: pages !== undefined,
    loadOlder: () => {
      if (pages && !older.isPending) older.mutate(pages)
    },
    retry,
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
export const pendingComments = derive(
  [pendingCreations],
  () =>
    pendingCreations
      .get()
      .flatMap(({ payload }) => (payload.kind === 'comment' ? payload.comment : [])),
  hasSameItems,
)

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

/** Queues a comment, and returns its undo. */
function queueComment(comment: NewComment): Reversal {
  const key = crypto.randomUUID()
  const pending = { ...comment, key, created_at: new Date().toISOString() }
  const entry: NewMutation<StoredMutation> = {
    key,
    queueKey: `comments of ${comment.task_id}`,
    label: recordChangeMessages.comment,
    payload: { kind: 'comment', comment: pending },
  }
  mutationLog.add(entry)
  return undoOf(entry)
}

/** Changes the text of one's own comment, from how it was when editing began. */
export function updateCommentText(comment: Comment, body: string): void {
  // A refused text is shown, but was never saved: below it, somebody may have changed the comment.
  const refused = findRecordEdits(comment.id).find(({ refusal }) => refusal)?.payload
  const base = refused?.kind === 'comment-edit' ? refused.base : comment
  const label = recordChangeMessages.commentChange
  const undo = enqueueRecordEdit({ kind: 'comment-edit', label, base, patch: { body }, text: body })
  showToast({ text: recordChangeMessages.commentEdited, undo })
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

/** Queues the deletion of a comment, and returns its undo. */
export const queueCommentDeletion = ({ id }: Pick<Comment, 'id'>): Reversal =>
  queueDeletion('comment', recordChangeMessages.commentDeleted, id)

/** Queues the restoration of a comment, which is not shown before the server has restored it. */
export function queueCommentRestoration(
  { id }: Pick<Comment, 'id'>,
  onRestored?: () => void,
): void {
  enqueueRecordMutation<typeof restoreComment>({
    queueKey: id,
    label: recordChangeMessages.commentRestoration,
    address: 'POST /internal/comments/:id/restore',
    sent: { params: { id }, body: {} },
    queries: ['search', 'trash'],
    async onReply({ body, changeNumber }) {
      await takeRecord({ type: 'comment', record: body }, changeNumber)
      for (const queryKey of [['search'], ['trash']]) refetchSoon(queryKey)
      onRestored?.()
    },
  })
}
