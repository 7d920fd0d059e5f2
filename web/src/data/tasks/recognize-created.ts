import { mutationQueue } from '../mutations/mutation-queue.ts'
import type { TaskWithPlaceholder } from './create-task.ts'
import type { Task } from './task-patch.ts'
import { subscribeToRecords } from './task-replica.ts'
import { getServerTask, resolveTempId } from './task-store.ts'

/** How many of the last letters of its Idempotency-Key the id of a new record ends with. */
const KEY_LETTERS = 8

/**
 * Puts tasks that the server has created in place of their placeholders, whatever becomes of the
 * reply to the request that creates them. Returns a function that ends it.
 */
export const recognizeCreatedTasks = (): (() => void) =>
  subscribeToRecords((changes) => recognize(changes.flatMap(({ task }) => task ?? [])))

function recognize(tasks: readonly Task[]): void {
  const creations = new Map<string, readonly TaskWithPlaceholder[]>()
  for (const { key, payload } of mutationQueue.get()) {
    if (payload.kind === 'create') creations.set(key.slice(-KEY_LETTERS), [payload])
    else if (payload.kind === 'create-many') creations.set(key.slice(-KEY_LETTERS), payload.tasks)
  }
  if (creations.size === 0) return
  for (const task of tasks) {
    const { id, title } = task
    const waiting = creations
      .get(id.slice(-KEY_LETTERS))
      ?.filter(({ placeholder }) => getServerTask(placeholder.id))
    // Those of one request have the same letters.
    const creation = waiting?.find(({ body }) => body.title === title)
    if (!creation) continue
    resolveTempId(creation.placeholder.id, id)
  }
}
