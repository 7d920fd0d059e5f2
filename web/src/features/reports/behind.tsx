import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { listTasks } from '#resources/tasks/contract.ts'
import { putTasks } from '../../data/task-store.ts'
import { call } from '../../lib/call.ts'
import { instantOf } from '../../lib/zoned.ts'
import { m } from '../../messages/reports.ts'
import { Trouble } from '../../ui/trouble.tsx'
import { TaskLink } from '../task/task-link.tsx'

/** What narrows a report beside its days, as a list of tasks takes it. */
export interface Within {
  project_id?: string[]
  assignee_id?: string[]
  tag_id?: string[]
}

interface Props {
  days: { after: string; before: string }
  within: Within
}

const MOST = 50

/** The tasks that were completed on the days of a mark, as links. */
export function TasksBehind({ days, within }: Props) {
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery({
    queryKey: ['tasks', 'behind', days, within],
    queryFn: async ({ signal }) => {
      const query = {
        ...within,
        completed: true,
        completed_after: instantOf(days.after, '00:00'),
        completed_before: instantOf(days.before, '00:00'),
        limit: MOST,
      }
      const page = await call<typeof listTasks>('GET /api/v1/tasks', { query }, { signal })
      putTasks(page.data)
      return page
    },
  })
  if (error) return <Trouble error={error} onRetry={() => void refetch()} />
  const go = (task: string) =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, task }) })
  return (
    <div className="line behind" role="status">
      <span className="gut">{data?.data.length}</span>
      {data && (
        <div>
          <p>{data.data.length === 0 ? m.noneBehind : m.behind(data.data.length)}</p>
          <ul>
            {data.data.map(({ id, short_id, title }) => (
              <li key={id}>
                <TaskLink shortId={short_id} onGo={go}>
                  {short_id} {title}
                </TaskLink>
              </li>
            ))}
          </ul>
          {data.has_more && <p>{m.moreBehind}</p>}
        </div>
      )}
    </div>
  )
}
