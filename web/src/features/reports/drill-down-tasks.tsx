import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { listTasks } from '#resources/tasks/contract.ts'
import { queryTasks } from '../../data/tasks/task-replica.ts'
import { toInstant } from '../../lib/dates/time-zone.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { TaskLink } from '../task-detail/index.ts'

/** The filters of a report other than its days, as parameters of the task list. */
export interface DrillDownFilter {
  project_id?: string[]
  assignee_id?: string[]
  tag_id?: string[]
}

interface DrillDownTasksProps {
  days: { after: string; before: string }
  filter: DrillDownFilter
}

const MAX_TASKS = 50

/** The tasks completed on the days of a chart point, as links. */
export function DrillDownTasks({ days, filter }: DrillDownTasksProps) {
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery({
    queryKey: ['tasks', 'behind', days, filter],
    queryFn: async ({ signal }) => {
      const query = {
        ...filter,
        completed: true,
        completed_after: toInstant(days.after, '00:00'),
        completed_before: toInstant(days.before, '00:00'),
        limit: MAX_TASKS,
      }
      return queryTasks(
        () =>
          requestEndpointForResult<typeof listTasks>('GET /api/v1/tasks', { query }, { signal }),
        ({ data }) => data,
      )
    },
  })
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  const openTask = (task: string) =>
    void navigate({ to: '.', search: (current: object) => ({ ...current, task }) })
  return (
    <div className="line behind" role="status">
      <span className="gut">{data?.data.length}</span>
      {data && (
        <div>
          <p>
            {data.data.length === 0
              ? reportMessages.noneBehind
              : reportMessages.behind(data.data.length)}
          </p>
          <ul>
            {data.data.map(({ id, short_id, title }) => (
              <li key={id}>
                <TaskLink shortId={short_id} onGo={openTask}>
                  {short_id} {title}
                </TaskLink>
              </li>
            ))}
          </ul>
          {data.has_more && <p>{reportMessages.moreBehind}</p>}
        </div>
      )}
    </div>
  )
}
