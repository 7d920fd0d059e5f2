import { useQuery } from '@tanstack/react-query'
import type { listTasks } from '#resources/tasks/contract.ts'
import { call } from '../../lib/call.ts'
import { today } from '../../lib/day.ts'

const MOST = 200
const NONE: ReadonlyMap<string, number> = new Map()

/**
 * How many tasks are overdue, by project. It is one request; where more are overdue than a page holds
 * nothing is told, because a part of them would be wrong for every project.
 */
export function useOverdue(): ReadonlyMap<string, number> {
  const { data } = useQuery({
    queryKey: ['tasks', 'overdue'],
    queryFn: async ({ signal }) => {
      const query = {
        due_before: today(),
        status_category: ['backlog', 'unstarted', 'started'] as (
          | 'backlog'
          | 'unstarted'
          | 'started'
        )[],
        limit: MOST,
      }
      const page = await call<typeof listTasks>('GET /api/v1/tasks', { query }, { signal })
      const counts = new Map<string, number>()
      if (page.has_more) return counts
      for (const { project_id } of page.data) {
        counts.set(project_id, (counts.get(project_id) ?? 0) + 1)
      }
      return counts
    },
  })
  return data ?? NONE
}
