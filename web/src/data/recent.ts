import { taskOf } from './task-store.ts'
import type { Task } from './task-view.ts'

const MOST = 8
let recent: readonly string[] = []

/** Remembers a task as opened; as long as the page is open. */
export function noteOpened(id: string): void {
  recent = [id, ...recent.filter((one) => one !== id)].slice(0, MOST)
}

/** The tasks that were opened last, the newest first. */
export const recentTasks = (): Task[] => recent.flatMap((id) => taskOf(id) ?? [])
