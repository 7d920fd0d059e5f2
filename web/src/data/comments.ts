import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import type {
  Comment,
  createComment,
  deleteComment,
  listComments,
  updateComment,
} from '#resources/comments/contract.ts'
import { answered, call, type Sent } from '../lib/call.ts'
import { draftsUnder, dropDraft, keepDraft } from '../lib/drafts.ts'
import { isPassing } from '../lib/problem.ts'
import { signal } from '../lib/signal.ts'
import { m } from '../messages/data.ts'
import { here } from './elsewhere.ts'
import { rereadTask } from './one-task.ts'
import { noteOwn } from './own.ts'
import { removeLater, sendRecord } from './records.ts'
import { queries, refetchSoon } from './refetch.ts'

export type { Comment }

interface Page {
  data: Comment[]
  next_cursor: string | null
}
type Pages = InfiniteData<Page, string>

const PAGE = 50

/** The comments of a task, oldest first, as far as they were read: the newest come first of all. */
export function useComments(task_id: string) {
  const read = useInfiniteQuery({
    queryKey: ['comments', task_id],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam ? { cursor: pageParam } : {}
      const query: Sent<typeof listComments>['query'] = {
        sort: '-created_at',
        limit: PAGE,
        ...cursor,
      }
      const sent = { params: { id: task_id }, query }
      return call<typeof listComments>('GET /api/v1/tasks/:id/comments', sent, { signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }: Page) => next_cursor ?? undefined,
  })
  return {
    comments: read.data?.pages.flatMap(({ data }) => data).toReversed(),
    error: read.error,
    hasOlder: read.hasNextPage,
    loadOlder: () => void read.fetchNextPage(),
    retry: () => void read.refetch(),
  }
}

/** A comment that is shown before the server has it. */
export interface PendingComment {
  key: string
  workspace_id?: string
  task_id: string
  parent_id: string | null
  body: string
  created_at: string
}

/** Comments on their way; whether they are stuck is told by `waiting` of the queue, under the key. */
export const pendingComments = signal<readonly PendingComment[]>([])
/** Comments whose deletion can still be undone. */
export const hiddenComments = signal<ReadonlySet<string>>(new Set())

export interface NewComment {
  task_id: string
  body: string
  parent_id?: string | null
  /** The server will never take it: its text is given back. */
  refused?: () => void
}

/**
 * Makes a comment: shown at once, sent in its turn. Until it is with the server it is kept in this browser, too,
 * with its key: sent again after a reload or a crash, it is made once.
 */
export function addComment({ task_id, body, parent_id = null, refused }: NewComment): void {
  const key = crypto.randomUUID()
  const workspace_id = here()?.workspace.id ?? ''
  const created_at = new Date().toISOString()
  const pending = { key, workspace_id, task_id, parent_id, body, created_at }
  keepDraft(keptAs(pending), JSON.stringify(pending))
  begin(pending, refused)
}

/** Goes on with the comments on a task that were on their way when a page was left or crashed. */
export const resumeComments = (task_id: string): void => resumeUnder(`${SENDING}.${task_id}.`)

/** The same of all tasks of this workspace. */
export const resumeAllComments = (): void =>
  resumeUnder(`${SENDING}.`, ({ workspace_id }) => workspace_id === here()?.workspace.id)

function resumeUnder(place: string, isWanted = (_: PendingComment) => true): void {
  const known = new Set(pendingComments.get().map(({ key }) => key))
  for (const text of draftsUnder(place)) {
    const pending = JSON.parse(text) as PendingComment
    if (!known.has(pending.key) && isWanted(pending)) begin(pending)
  }
}

const SENDING = 'sending'
const keptAs = ({ key, task_id }: PendingComment): string => `${SENDING}.${task_id}.${key}`

function begin(pending: PendingComment, refused?: () => void): void {
  const { key, task_id, parent_id, body } = pending
  pendingComments.set([...pendingComments.get(), pending])
  const forget = () => {
    dropDraft(keptAs(pending))
    pendingComments.set(pendingComments.get().filter((one) => one.key !== key))
  }
  sendRecord({
    key,
    lane: `comments of ${task_id}`,
    label: m.comment,
    async send() {
      const wanted = { params: { id: task_id }, body: { body, ...(parent_id && { parent_id }) } }
      const to = 'POST /api/v1/tasks/:id/comments'
      const reply = await answered<typeof createComment>(to, wanted, { idempotencyKey: key })
      noteWritten(reply.operation_id)
      const { id } = reply.body
      // The notice of it may have come before the reply.
      patchPages(task_id, (comments) => [reply.body, ...comments.filter((one) => one.id !== id)])
      forget()
      rereadTask(task_id)
    },
    refused(error) {
      forget()
      // What only could not be sent was given up by the person.
      if (!isPassing(error)) refused?.()
    },
  })
}

/** Changes the text of one's own comment. */
export function editComment(comment: Comment, body: string): void {
  const { id, task_id } = comment
  replace(task_id, { ...comment, body })
  sendRecord({
    lane: id,
    label: m.commentChange,
    async send(idempotencyKey) {
      const to = 'PATCH /api/v1/comments/:id'
      const sent = { params: { id }, body: { body } }
      const reply = await answered<typeof updateComment>(to, sent, { idempotencyKey })
      noteWritten(reply.operation_id)
      replace(task_id, reply.body)
    },
    refused: () => replace(task_id, comment),
  })
}

/** Deletes a comment when its toast ends. */
export function removeComment({ id, task_id }: Comment): void {
  const to = 'DELETE /api/v1/comments/:id'
  removeLater(m.commentDeleted, {
    ...{ id, hidden: hiddenComments },
    async send(options) {
      const { operation_id } = await answered<typeof deleteComment>(to, { params: { id } }, options)
      noteOwn(operation_id)
    },
    gone() {
      patchPages(task_id, (comments) => comments.filter((one) => one.id !== id))
      rereadTask(task_id)
      refetchSoon(['search'])
    },
  })
}

/** Of a write of one's own no notice makes anything stale; a search looks into comments. */
function noteWritten(operation_id: string | undefined): void {
  noteOwn(operation_id)
  refetchSoon(['search'])
}

const replace = (task_id: string, comment: Comment) =>
  patchPages(task_id, (comments) => comments.map((one) => (one.id === comment.id ? comment : one)))

/** Changes what was read, the newest page first; a new comment goes to the head of it. */
function patchPages(task_id: string, change: (comments: Comment[]) => Comment[]): void {
  queries.setQueryData<Pages>(['comments', task_id], (pages) => {
    if (!pages) return pages
    const all = new Set(pages.pages.flatMap(({ data }) => data.map(({ id }) => id)))
    return {
      ...pages,
      pages: pages.pages.map((page, at) => {
        const data = change(page.data)
        // What is new belongs to the newest page alone.
        return { ...page, data: at === 0 ? data : data.filter(({ id }) => all.has(id)) }
      }),
    }
  })
}
