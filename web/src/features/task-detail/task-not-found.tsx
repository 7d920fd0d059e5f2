import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMemberNames } from '../../data/session/boot.ts'
import { fetchSimilarTasks, useRestoration } from '../../data/tasks/missing-tasks.ts'
import { fetchTrashedTask } from '../../data/tasks/trashed-task.ts'
import { formatDay, toPlainDate } from '../../lib/dates/plain-date.ts'
import { taskDetailMessages } from '../../messages/tasks/task-detail.ts'
import { InlineError } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { ShortId } from '../../ui/marks/short-id.tsx'
import { TaskLink } from './links/task-link.tsx'

interface TaskNotFoundProps {
  shortId: string
  page: boolean
  /** The id, if the task was loaded before it was deleted. */
  id: string | undefined
  onOpen: (shortId: string) => void
  onRestored: () => void
}

/** Shown without a task: it is deleted and can be restored, or does not exist. */
export function TaskNotFound({ shortId, page, id, onOpen, onRestored }: TaskNotFoundProps) {
  const idOrShortId = id ?? shortId
  const { data, error } = useQuery({
    queryKey: ['gone', idOrShortId],
    queryFn: async () => {
      const trashed = await fetchTrashedTask(idOrShortId)
      return { trashed, near: trashed ? [] : await fetchSimilarTasks(shortId) }
    },
    staleTime: 0,
  })
  if (error) return <InlineError error={error} />
  if (!data) return <Skeleton lines={2} />
  if (data.trashed)
    return <DeletedTask page={page} trashed={data.trashed} onRestored={onRestored} />
  return (
    <div className="line gone">
      <span className="gut">404</span>
      <div>
        <Heading page={page}>{taskDetailMessages.unknown(shortId.toUpperCase())}</Heading>
        <p>{taskDetailMessages.unknownWhy}</p>
        {data.near.length > 0 && (
          <>
            <p className="quiet">{taskDetailMessages.near}</p>
            <ul>
              {data.near.map(({ short_id, title }) => (
                <li key={short_id} className="task-ref">
                  <TaskLink className="no" shortId={short_id} onGo={onOpen}>
                    <ShortId id={short_id} />
                  </TaskLink>
                  <TaskLink className="clip" shortId={short_id} onGo={onOpen}>
                    {title}
                  </TaskLink>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  )
}

type TrashedTask = NonNullable<Awaited<ReturnType<typeof fetchTrashedTask>>>

interface DeletedTaskProps {
  page: boolean
  trashed: TrashedTask
  onRestored: () => void
}

function DeletedTask({ page, trashed, onRestored }: DeletedTaskProps) {
  const nameOf = useMemberNames()
  const { isQueued, restore } = useRestoration(trashed, onRestored)
  return (
    <div className="line gone">
      <span className="gut" />
      <div>
        <Heading page={page}>{trashed.title}</Heading>
        <p>
          {taskDetailMessages.gone}.{' '}
          {taskDetailMessages.goneUntil(
            trashed.deleted_by_id ? nameOf(trashed.deleted_by_id) : taskDetailMessages.somebody,
            formatDay(toPlainDate(trashed.purged_at)),
          )}
        </p>
        <div className="acts">
          <Button kind="primary" busy={isQueued} onClick={restore}>
            {taskDetailMessages.restore}
          </Button>
        </div>
      </div>
    </div>
  )
}

function Heading({ page, children }: { page: boolean; children: ReactNode }) {
  const Level = page ? 'h1' : 'h2'
  return (
    <Level className="h" data-heading tabIndex={-1}>
      {children}
    </Level>
  )
}
