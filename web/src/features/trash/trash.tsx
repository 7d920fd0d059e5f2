import './trash.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { DeletedTask, listDeletedTasks } from '#resources/web-app/suggestions/contract.ts'
import { useBoot, useMemberNames, useProject } from '../../data/session/boot.ts'
import { useRestoration } from '../../data/tasks/missing-tasks.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { formatDayTime, formatRelative } from '../../lib/dates/instant.ts'
import { useTimedText } from '../../lib/dates/use-clock.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { trashMessages } from '../../messages/tasks/trash.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { ShortId } from '../../ui/marks/short-id.tsx'

const DAY_MS = 86_400_000

/** The deleted tasks of all projects, the last deleted first, until they are gone for good. */
export function Trash() {
  useTitle(trashMessages.title)
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage } =
    useInfiniteQuery({
      queryKey: ['trash'],
      queryFn: ({ pageParam, signal }) =>
        requestEndpoint<typeof listDeletedTasks>(
          'GET /internal/trash',
          { query: { limit: 100, ...(pageParam && { cursor: pageParam }) } },
          { signal },
        ),
      initialPageParam: '',
      getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
      staleTime: 0,
    })
  const tasks = data?.pages.flatMap((page) => page.data) ?? []
  const reload = () => void refetch()
  return (
    <main className="paper" id="work">
      <header className="head">
        <div className="head-top">
          <div className="gut" />
          <h1>{trashMessages.title}</h1>
        </div>
      </header>
      <div className="scroll" aria-busy={isFetching}>
        <p className="line">
          <span className="gut" />
          <span className="quiet">{trashMessages.about}</span>
        </p>
        {error && <ErrorMessage error={error} onRetry={reload} />}
        {isPending && <Skeleton rows={8} />}
        {data && tasks.length === 0 && <EmptyState text={trashMessages.empty} />}
        {tasks.length > 0 && (
          <ul className="trash" aria-label={trashMessages.list}>
            {tasks.map((task) => (
              <TrashRow key={task.id} task={task} onRestored={reload} />
            ))}
          </ul>
        )}
        {hasNextPage && (
          <p className="line">
            <span className="gut" />
            <span>
              <Button onClick={() => void fetchNextPage()}>{trashMessages.more}</Button>
            </span>
          </p>
        )}
      </div>
    </main>
  )
}

function TrashRow({ task, onRestored }: { task: DeletedTask; onRestored: () => void }) {
  const { id, short_id, title, project_id, created_by_id, deleted_at, deleted_by_id } = task
  const { session } = useBoot('session')
  const project = useProject(project_id)
  const nameOf = useMemberNames()
  const navigate = useNavigate()
  const params = { workspaceId: session.workspace.id, shortId: short_id }
  const { isQueued, restore } = useRestoration(task, onRestored, {
    label: trashMessages.open,
    run: () => void navigate({ to: '/w/$workspaceId/t/$shortId', params }),
  })
  const isForeign = session.user.role === 'guest' && created_by_id !== session.user.id
  const reason =
    project?.status === 'archived'
      ? projectViewMessages.archivedReason
      : isForeign
        ? trashMessages.guestReason
        : undefined
  const who = deleted_by_id ? nameOf(deleted_by_id) : trashMessages.somebody
  return (
    <li className="row" data-row={id}>
      <span className="gut">
        <ShortId id={short_id} />
      </span>
      <span>
        <span className="clip">{title}</span>
        <span className="quiet" title={trashMessages.until(formatDayTime(task.purged_at))}>
          {useTimedText(() =>
            trashMessages.deleted(who, formatRelative(deleted_at), formatDaysLeft(task)),
          )}
        </span>
      </span>
      <Button
        reason={reason}
        busy={isQueued}
        aria-label={trashMessages.restoreTask(short_id)}
        onClick={restore}
      >
        {trashMessages.restore}
      </Button>
    </li>
  )
}

function formatDaysLeft({ purged_at }: DeletedTask): string {
  const days = Math.ceil((Date.parse(purged_at) - Date.now()) / DAY_MS)
  return days > 1 ? trashMessages.daysLeft(days) : trashMessages.lastDay
}
