import { ApiResponseError } from '../../../lib/http/problem.ts'

/**
 * Opens `/no-workspace` when the server has answered that the person is in no workspace. Returns
 * whether it did.
 */
export function redirectIfNoWorkspace(error: unknown): boolean {
  const hasNoWorkspace = error instanceof ApiResponseError && error.code === 'no_workspace'
  if (hasNoWorkspace) location.assign('/no-workspace')
  return hasNoWorkspace
}
