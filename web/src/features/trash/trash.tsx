import './trash.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import type { DeletedComment, listDeletedComments } from '#resources/comments/internal.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { unarchiveProject } from '#resources/projects/internal.ts'
import type {
  ListedDeletedTask,
  listDeletedTasks,
} from '#resources/web-app/suggestions/contract.ts'
import { showToast } from '../../data/app/toasts.ts'
import { invalidate } from '../../data/cache/query-client.ts'
import { mutationQueue } from '../../data/mutations/mutation-queue.ts'
import { enqueueRecordMutation } from '../../data/mutations/record-mutations.ts'
import { queueCommentDeletion, queueCommentRestoration } from '../../data/resources/comments.ts'
import { useBoot, useMemberNames, useProject } from '../../data/session/boot.ts'
import { cacheProject } from '../../data/session/boot-records.ts'
import { canDeleteTask, canEditProjectSettings } from '../../data/session/rights.ts'
import { useRestoration } from '../../data/tasks/missing-tasks.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { formatDayTime, formatRelative } from '../../lib/dates/instant.ts'
import { useTimedText } from '../../lib/dates/use-clock.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { mentionIdsToNames } from '../../lib/markdown/mentions.ts'
import { markdownToPlainText } from '../../lib/markdown/plain-text.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { trashMessages } from '../../messages/tasks/trash.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { ShortId } from '../../ui/marks/short-id.tsx'

const DAY_MS = 86_400_000

/** The deleted tasks and comments, the last deleted first, and the archived projects, to restore them. */
export function Trash() {
  useTitle(trashMessages.title)
  const boot = useBoot('session', 'projects')
  const tasks = useTrash('tasks', (query, signal) =>
    requestEndpoint<typeof listDeletedTasks>('GET /internal/trash', { query }, { signal }),
  )
  const comments = useTrash('comments', (query, signal) =>
    requestEndpoint<typeof listDeletedComments>(
      'GET /internal/trash/comments',
      { query },
      { signal },
    ),
  )
  const projects = boot.projects.filter(
    (project) =>
      project.status === 'archived' && canEditProjectSettings(boot.session.user, project),
  )
  const error = tasks.error ?? comments.error
  const isLoaded = tasks.records !== undefined && comments.records !== undefined
  const isEmpty = !tasks.records?.length && !comments.records?.length && projects.length === 0
  return (
    <main className="paper" id="work">
      <header className="head">
        <div className="head-top">
          <div className="gut" />
          <h1>{trashMessages.title}</h1>
        </div>
      </header>
      <div className="scroll" aria-busy={tasks.isFetching || comments.isFetching}>
        {error && <ErrorMessage error={error} onRetry={reloadTrash} />}
        {!isLoaded && !error && <Skeleton rows={8} />}
        {isLoaded && isEmpty && <EmptyState text={trashMessages.empty} />}
        <TrashSection name="tasks" records={tasks.records} onMore={tasks.onMore}>
          {tasks.records?.map((task) => (
            <TaskRow key={task.id} task={task} />
          ))}
        </TrashSection>
        <TrashSection name="comments" records={comments.records} onMore={comments.onMore}>
          {comments.records?.map((comment) => (
            <CommentRow key={comment.id} comment={comment} />
          ))}
        </TrashSection>
        <TrashSection name="projects" records={projects}>
          {projects.map((project) => (
            <ProjectRow key={project.id} project={project} />
          ))}
        </TrashSection>
      </div>
    </main>
  )
}

/** Restoring a task may bring back its comments, and the other way round. */
const reloadTrash = () => void invalidate({ queryKey: ['trash'] })

interface TrashPage<T> {
  data: T[]
  next_cursor: string | null
}

function useTrash<T>(
  name: string,
  load: (query: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<TrashPage<T>>,
) {
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['trash', name],
    queryFn: ({ pageParam, signal }) =>
      load({ limit: 100, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: 0,
  })
  const records = data?.pages.flatMap((page) => page.data)
  const onMore = hasNextPage ? () => void fetchNextPage() : undefined
  return { records, error, isFetching, onMore }
}

interface TrashSectionProps {
  name: 'tasks' | 'comments' | 'projects'
  records: readonly (Deletion | Project)[] | undefined
  onMore?: (() => void) | undefined
  children: ReactNode
}

/** One kind of records, and how long they are kept. */
function TrashSection({ name, records = [], onMore, children }: TrashSectionProps) {
  const [first] = records
  if (!first) return null
  const id = `trash-${name}`
  return (
    <section className="trash">
      <div className="row group">
        <span className="gut" />
        <div>
          <h2 id={id}>{trashMessages[name]}</h2>
          <span className="quiet">
            {'purged_at' in first
              ? (name === 'tasks' ? trashMessages.tasksKeptFor : trashMessages.keptFor)(
                  countDays(first.deleted_at, first.purged_at),
                )
              : trashMessages.keptForever}
          </span>
        </div>
      </div>
      <ul aria-labelledby={id}>{children}</ul>
      {onMore && (
        <p className="line">
          <span className="gut" />
          <span>
            <Button onClick={onMore}>{trashMessages.more}</Button>
          </span>
        </p>
      )}
    </section>
  )
}

/** What deleted tasks and comments have in common. */
interface Deletion {
  id: string
  deleted_at: string
  deleted_by_id: string | null
  purged_at: string
}

interface TrashRowProps {
  id: string
  label: ReactNode
  title: string
  /** Who has deleted it, when, or until when it is kept. */
  details: ReactNode
  /** What the button does, for screen readers. */
  name: string
  reason?: string | undefined
  isQueued: boolean
  onRestore: () => void
}

function TrashRow({ id, label, title, details, name, reason, isQueued, onRestore }: TrashRowProps) {
  const row = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => {
    const element = row.current
    return () => passFocusOn(element)
  }, [])
  return (
    <li ref={row} className="row" data-row={id}>
      <span className="gut">{label}</span>
      <span>
        <span className="clip">{title}</span>
        {details}
      </span>
      <Button reason={reason} busy={isQueued} aria-label={name} onClick={onRestore}>
        {trashMessages.restore}
      </Button>
    </li>
  )
}

/** Gives the focus of a row that is about to go, because it was restored, to the next one. */
function passFocusOn(row: Element | null): void {
  if (!row?.contains(document.activeElement)) return
  const rows = [...document.querySelectorAll('.trash li')]
  const index = rows.indexOf(row)
  const next = rows[index + 1] ?? rows[index - 1]
  next?.querySelector<HTMLElement>('button')?.focus()
}

function TaskRow({ task }: { task: ListedDeletedTask }) {
  const { id, short_id, title, project_id, created_by_id, subtask_count } = task
  const { session } = useBoot('session')
  const project = useProject(project_id)
  const navigate = useNavigate()
  const params = { workspaceId: session.workspace.id, shortId: short_id }
  const { isQueued, restore } = useRestoration(task, reloadTrash, {
    label: trashMessages.open,
    run: () => void navigate({ to: '/w/$workspaceId/t/$shortId', params }),
  })
  const reason =
    getArchivedReason(project) ??
    (canDeleteTask(session.user, created_by_id) ? undefined : trashMessages.guestReason)
  return (
    <TrashRow
      {...{ id, title, reason, isQueued }}
      label={<ShortId id={short_id} />}
      details={<DeletionDetails of={task} subtasks={subtask_count} />}
      name={trashMessages.restoreTask(short_id)}
      onRestore={restore}
    />
  )
}

function CommentRow({ comment }: { comment: DeletedComment }) {
  const { id, task_short_id, project_id, excerpt } = comment
  const { session, members } = useBoot('session', 'members')
  const project = useProject(project_id)
  const navigate = useNavigate()
  const params = { workspaceId: session.workspace.id, shortId: task_short_id }
  const restore = () =>
    queueCommentRestoration({ id }, () => {
      const run = () => void navigate({ to: '/w/$workspaceId/t/$shortId', params, hash: id })
      showToast({
        text: recordChangeMessages.commentRestored,
        undo: () => queueCommentDeletion({ id }),
        action: { label: trashMessages.open, run },
      })
    })
  const [firstLine = ''] = mentionIdsToNames(excerpt, members).trim().split('\n')
  return (
    <TrashRow
      id={id}
      label={<ShortId id={task_short_id} />}
      title={markdownToPlainText(firstLine)}
      details={<DeletionDetails of={comment} />}
      name={trashMessages.restoreComment(task_short_id)}
      reason={getArchivedReason(project)}
      isQueued={useIsQueued(id)}
      onRestore={restore}
    />
  )
}

function ProjectRow({ project: { id, name, prefix, archived_at } }: { project: Project }) {
  const restore = () =>
    enqueueRecordMutation<typeof unarchiveProject>({
      queueKey: id,
      label: trashMessages.restoreProject(name),
      address: 'POST /internal/projects/:id/unarchive',
      sent: { params: { id }, body: {} },
      queries: ['trash'],
      onReply({ body }) {
        cacheProject(body)
        showToast({ text: trashMessages.restoredProject(name) })
      },
    })
  const details = useTimedText(() => trashMessages.archived(formatRelative(archived_at ?? '')))
  return (
    <TrashRow
      {...{ id, details: <span className="quiet">{details}</span> }}
      label={prefix}
      title={name}
      name={trashMessages.restoreProject(name)}
      isQueued={useIsQueued(id)}
      onRestore={restore}
    />
  )
}

interface DeletionDetailsProps {
  of: Deletion
  /** How many subtasks went with it. */
  subtasks?: number
}

function DeletionDetails({ of, subtasks = 0 }: DeletionDetailsProps) {
  const { deleted_at, deleted_by_id, purged_at } = of
  const nameOf = useMemberNames()
  const who = deleted_by_id ? nameOf(deleted_by_id) : trashMessages.someone
  return (
    <span className="quiet" title={trashMessages.until(formatDayTime(purged_at))}>
      {subtasks > 0 && `${trashMessages.withSubtasks(subtasks)} · `}
      {useTimedText(() =>
        trashMessages.deleted(who, formatRelative(deleted_at), formatDaysLeft(purged_at)),
      )}
    </span>
  )
}

/** Whether a write of the record waits for the server. */
const useIsQueued = (id: string): boolean =>
  useAtom(mutationQueue).some(({ queueKey }) => queueKey === id)

const getArchivedReason = (project: Project | undefined): string | undefined =>
  project?.status === 'archived' ? projectViewMessages.archivedReason : undefined

const countDays = (from: string, to: string): number =>
  Math.ceil((Date.parse(to) - Date.parse(from)) / DAY_MS)

function formatDaysLeft(purged_at: string): string {
  const days = countDays(new Date().toISOString(), purged_at)
  return days > 1 ? trashMessages.daysLeft(days) : trashMessages.lastDay
}
