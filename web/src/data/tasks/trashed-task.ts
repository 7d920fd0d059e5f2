import type { DeletedTask, getDeletedTask } from '#resources/web-app/suggestions/contract.ts'
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
