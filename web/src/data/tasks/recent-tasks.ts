import type { Task } from './task-patch.ts'
import { getCachedTask } from './task-store.ts'

const MAX_RECENT_TASKS = 8
let recentIds: readonly string[] = []

/** Records a task as opened, for as long as the page is open. */
export function recordOpenedTask(id: string): void {
  recentIds = [id, ...recentIds.filter((one) => one !== id)].slice(0, MAX_RECENT_TASKS)
}

/** The tasks that were opened last, latest first. */
export const getRecentTasks = (): Task[] => recentIds.flatMap((id) => getCachedTask(id) ?? [])
