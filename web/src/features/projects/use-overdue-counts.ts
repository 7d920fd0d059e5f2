import { useQuery } from '@tanstack/react-query'
import type { listTasks } from '#resources/tasks/contract.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'

const PAGE_LIMIT = 200
const NO_COUNTS: ReadonlyMap<string, number> = new Map()

/**
 * The number of overdue tasks by project, from one request. If a page does not hold all of them,
 * the result is empty, because partial counts would be wrong for any project.
 */
export function useOverdueCounts(): ReadonlyMap<string, number> {
  const day = useToday()
  const { data } = useQuery({
    queryKey: ['tasks', 'overdue', day],
    queryFn: async ({ signal }) => {
      const query = {
        due_before: day,
        status_category: ['backlog', 'unstarted', 'started'] as (
          | 'backlog'
          | 'unstarted'
          | 'started'
        )[],
        limit: PAGE_LIMIT,
      }
      const page = await requestEndpoint<typeof listTasks>(
        'GET /api/v1/tasks',
        { query },
        { signal },
      )
      const counts = new Map<string, number>()
      if (page.has_more) return counts
      for (const { project_id } of page.data) {
        counts.set(project_id, (counts.get(project_id) ?? 0) + 1)
      }
      return counts
    },
  })
  return data ?? NO_COUNTS
}
