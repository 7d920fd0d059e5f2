import { mutationQueue } from '../mutations/mutation-queue.ts'
import { getPendingChanges, hasPendingChanges, isTempId } from '../tasks/task-store.ts'

/**
 * Whether a change or the creation of a task is being sent. What others change is shown below one
 * that is not: it may wait for days, e.g. for the person.
 */
export function awaitsReply(id: string): boolean {
  if (isTempId(id)) return hasPendingChanges(id)
  // The key of a change of many tasks ends with the id of the task.
  return getPendingChanges(id).some(({ key }) =>
    mutationQueue.get().some((one) => one.state === 'sending' && key.startsWith(one.key)),
  )
}
