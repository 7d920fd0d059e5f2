import { mutationQueue } from '../mutations/mutation-queue.ts'
import { getPendingChanges, hasPendingChanges, isTempId } from '../tasks/task-store.ts'

/**
 * Whether the server has still to answer a change or the creation of a task. A change that it has
 * refused and whose text waits for the person does not count: what others change is shown below it.
 */
export function awaitsReply(id: string): boolean {
  if (isTempId(id)) return hasPendingChanges(id)
  const isRefused = (key: string) =>
    mutationQueue.get().some((mutation) => mutation.key === key && mutation.refusal !== undefined)
  return getPendingChanges(id).some(({ key }) => !isRefused(key))
}
