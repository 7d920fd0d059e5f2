import type { listTasks } from '#resources/tasks/contract.ts'
import { getRecentTasks } from '../../../data/tasks/recent-tasks.ts'
import { queryTasks } from '../../../data/tasks/task-replica.ts'
import { getCachedTasks } from '../../../data/tasks/task-store.ts'
import { requestEndpointForResult } from '../../../lib/http/request-endpoint.ts'
import type { TaskSearch } from '../../../ui/markdown/suggestion-sources.tsx'
import { filterOptions } from '../../../ui/overlays/picker-options.ts'

const MAX_TASKS = 8

/** Finds the tasks that a text can refer to; without a network, only those that are loaded. */
export const taskSearch: TaskSearch = {
  findLoaded(typed) {
    if (typed === '') return getRecentTasks()
    const options = getCachedTasks().map(({ title, short_id }) => ({
      id: short_id,
      label: title,
      hint: short_id,
    }))
    return filterOptions(options, typed)
      .slice(0, MAX_TASKS)
      .map(({ id, label }) => ({ short_id: id, title: label }))
  },
  async find(typed) {
    const query = { q: typed.slice(0, 200), limit: MAX_TASKS }
    const page = await queryTasks(
      () => requestEndpointForResult<typeof listTasks>('GET /api/v1/tasks', { query }),
      ({ data }) => data,
    )
    return page.data
  },
}
