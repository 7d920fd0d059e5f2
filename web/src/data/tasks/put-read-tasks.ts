import { isSameValue, type Task } from './task-patch.ts'
import { getServerTask, putTasks } from './task-store.ts'

let tellChange: (before: Task, task: Task) => void = () => {}

/**
 * Sets what is called for each task that a read brings changed, with the task as the page had it before.
 * Only the module that applies the feed of changes (`apply-feed-changes.ts`) calls this.
 */
export function setReadListener(listener: (before: Task, task: Task) => void): void {
  tellChange = listener
}

/**
 * Stores tasks that were read. A read may know of a change before the feed tells of it; the feed then
 * says nothing new, so lists and counts follow the change from here.
 */
export function putReadTasks(tasks: readonly Task[]): void {
  for (const task of tasks) {
    const before = getServerTask(task.id)
    if (before && before.version <= task.version && !isSameValue(before, task))
      tellChange(before, task)
  }
  putTasks(tasks)
}
