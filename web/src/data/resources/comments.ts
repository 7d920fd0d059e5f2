import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import type {
  Comment,
  createComment,
  deleteComment,
  listTaskComments,
  updateComment,
} from '#resources/comments/contract.ts'
import { isRetryable } from '../../lib/http/problem.ts'
import {
  type CallInput,
  requestEndpoint,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { atom } from '../../lib/state/atom.ts'
import { deleteDraft, readDraftsByPrefix, saveDraft } from '../../lib/state/drafts.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { queryClient, refetchSoon } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { deleteWithUndo, enqueueRecordMutation } from '../mutations/record-mutations.ts'
import { currentSession } from '../session/current-session.ts'
import { refetchTask } from '../tasks/task-queries.ts'

export type { Comment }

interface CommentPage {
  data: Comment[]
  next_cursor: string | null
}
type CommentPages = InfiniteData<CommentPage, string>

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
    getNextPageParam: ({ next_cursor }: CommentPage) => next_cursor ?? undefined,
  })
  return {
    comments: read.data?.pages.flatMap(({ data }) => data).toReversed(),
    error: read.error,
    hasOlder: read.hasNextPage,
    loadOlder: () => void read.fetchNextPage(),
    retry: () => void read.refetch(),
  }
}

/** An unacknowledged comment that is already shown; stored in this browser as JSON. */
export interface PendingComment {
  key: string
  workspace_id?: string
  task_id: string
  parent_id: string | null
  body: string
  created_at: string
}

/** Comments that are being sent. Whether one is stuck shows in the mutation queue, by its key. */
export const pendingComments = atom<readonly PendingComment[]>([])
/** Comments whose deletion can still be undone. */
export const hiddenComments = atom<ReadonlySet<string>>(new Set())

export interface NewComment {
  task_id: string
  body: string
  parent_id?: string | null
  /** Called if the server rejects the comment for good, so that the text is not lost. */
  onRejected?: () => void
}

/**
 * Creates a comment: shown at once and queued. Until it is acknowledged this browser stores it with
 * its idempotency key, so that sending it again after a reload or a crash creates it once.
 */
export function addComment({ task_id, body, parent_id = null, onRejected }: NewComment): void {
  const key = crypto.randomUUID()
  const workspace_id = currentSession()?.workspace.id ?? ''
  const created_at = new Date().toISOString()
  const pending = { key, workspace_id, task_id, parent_id, body, created_at }
  saveDraft(storageKeyOf(pending), JSON.stringify(pending))
  sendPending(pending, onRejected)
}

/** Sends the comments on a task that an earlier page had not sent when it was left or crashed. */
export const resumeComments = (task_id: string): void =>
  resumeStored(`${STORAGE_PREFIX}.${task_id}.`)

/** Sends the unsent comments on all tasks of this workspace. */
export const resumeAllComments = (): void =>
  resumeStored(
    `${STORAGE_PREFIX}.`,
    ({ workspace_id }) => workspace_id === currentSession()?.workspace.id,
  )

function resumeStored(place: string, isWanted = (_: PendingComment) => true): void {
  const known = new Set(pendingComments.get().map(({ key }) => key))
  for (const text of readDraftsByPrefix(place)) {
    const pending = JSON.parse(text) as PendingComment
    if (!known.has(pending.key) && isWanted(pending)) sendPending(pending)
  }
}

const STORAGE_PREFIX = 'sending'
const storageKeyOf = ({ key, task_id }: PendingComment): string =>
  `${STORAGE_PREFIX}.${task_id}.${key}`

function sendPending(pending: PendingComment, refused?: () => void): void {
  const { key, task_id, parent_id, body } = pending
  pendingComments.set([...pendingComments.get(), pending])
  const removePending = () => {
    deleteDraft(storageKeyOf(pending))
    pendingComments.set(pendingComments.get().filter((one) => one.key !== key))
  }
  enqueueRecordMutation({
    key,
    queueKey: `comments of ${task_id}`,
    label: mutationMessages.comment,
    async send() {
      const request = { params: { id: task_id }, body: { body, ...(parent_id && { parent_id }) } }
      const to = 'POST /api/v1/tasks/:id/comments'
      const reply = await requestEndpointForResult<typeof createComment>(to, request, {
        idempotencyKey: key,
      })
      recordOwnWrite(reply.operation_id)
      const { id } = reply.body
      // The live event about it may have arrived before the reply.
      patchPages(task_id, (comments) => [reply.body, ...comments.filter((one) => one.id !== id)])
      removePending()
      refetchTask(task_id)
    },
    onRejected(error) {
      removePending()
      // After a retryable error it was the person who discarded the comment.
      if (!isRetryable(error)) refused?.()
    },
  })
}

/** Changes the text of one's own comment. */
export function updateCommentText(comment: Comment, body: string): void {
  const { id, task_id } = comment
  replaceComment(task_id, { ...comment, body })
  enqueueRecordMutation({
    queueKey: id,
    label: mutationMessages.commentChange,
    async send(idempotencyKey) {
      const to = 'PATCH /api/v1/comments/:id'
      const sent = { params: { id }, body: { body } }
      const reply = await requestEndpointForResult<typeof updateComment>(to, sent, {
        idempotencyKey,
      })
      recordOwnWrite(reply.operation_id)
      replaceComment(task_id, reply.body)
    },
    onRejected: () => replaceComment(task_id, comment),
  })
}

/** Hides a comment and deletes it when its toast ends; until then it can be undone. */
export function deleteCommentWithUndo({ id, task_id }: Comment): void {
  const to = 'DELETE /api/v1/comments/:id'
  deleteWithUndo(mutationMessages.commentDeleted, {
    ...{ id, hidden: hiddenComments },
    async send(options) {
      const { operation_id } = await requestEndpointForResult<typeof deleteComment>(
        to,
        { params: { id } },
        options,
      )
      recordOwnOperation(operation_id)
    },
    onDeleted() {
      patchPages(task_id, (comments) => comments.filter((one) => one.id !== id))
      refetchTask(task_id)
      refetchSoon(['search'])
    },
  })
}

/** Records an own write, whose live event is ignored, and refetches searches in comments. */
function recordOwnWrite(operation_id: string | undefined): void {
  recordOwnOperation(operation_id)
  refetchSoon(['search'])
}

const replaceComment = (task_id: string, comment: Comment) =>
  patchPages(task_id, (comments) => comments.map((one) => (one.id === comment.id ? comment : one)))

/** Changes the cached pages, newest first; a new comment goes to the head of the newest page. */
function patchPages(task_id: string, change: (comments: Comment[]) => Comment[]): void {
  queryClient.setQueryData<CommentPages>(['comments', task_id], (pages) => {
    if (!pages) return pages
    const all = new Set(pages.pages.flatMap(({ data }) => data.map(({ id }) => id)))
    return {
      ...pages,
      pages: pages.pages.map((page, at) => {
        const data = change(page.data)
        // New comments belong to the newest page alone.
        return { ...page, data: at === 0 ? data : data.filter(({ id }) => all.has(id)) }
      }),
    }
  })
}
