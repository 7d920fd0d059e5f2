import type {
  DeletedTask,
  getDeletedTask,
  listSimilarTasks,
} from '#resources/web-app/suggestions/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'

/** A deleted task by id or short id; undefined if it is not in the trash. */
export async function fetchTrashedTask(id: string): Promise<DeletedTask | undefined> {
  try {
    return await requestEndpoint<typeof getDeletedTask>('GET /internal/tasks/:id/trash', {
      params: { id },
    })
  } catch (error) {
    if (error instanceof ApiResponseError && error.status === 404) return undefined
    throw error
  }
}

/** Tasks whose short id is similar to one that does not exist. */
export async function fetchSimilarTasks(
  short_id: string,
): Promise<{ short_id: string; title: string }[]> {
  if (!/^[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]*$/.test(short_id)) return []
  return (
    await requestEndpoint<typeof listSimilarTasks>('GET /internal/near', { query: { short_id } })
  ).data
}
