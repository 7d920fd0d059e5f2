import { toast } from '../../data/toasts.ts'
import { Problem } from '../../lib/problem.ts'
import { messageOf } from '../../ui/trouble.tsx'

/** Tells in a toast why something was not done. */
export function tell(error: unknown): void {
  const request_id = error instanceof Problem ? { request_id: error.request_id } : {}
  toast({ text: messageOf(error), tone: 'trouble', ...request_id })
}
