import { showToast } from '../../data/app/toasts.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'

/** Shows a toast with the reason why a request has failed. */
export function showErrorToast(error: unknown): void {
  const request_id = error instanceof ApiResponseError ? { request_id: error.request_id } : {}
  showToast({ text: getErrorMessage(error), tone: 'trouble', ...request_id })
}
