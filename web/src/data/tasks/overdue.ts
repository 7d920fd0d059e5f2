import { useSyncExternalStore } from 'react'
import type { PlainDate } from '../../lib/dates/plain-date.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { bootState } from '../session/boot.ts'
import { isTaskFinished, type Task } from './task-patch.ts'
import { countTasks, getServerTask, subscribeToTasks } from './task-store.ts'

/** How many open tasks of the person are overdue: those that the page holds as it shows them, others by the boot data. */
export function useOverdueCount(): number {
  const day = useToday()
  return useSyncExternalStore(subscribe, () => countOverdue(day))
}

function subscribe(listener: () => void): () => void {
  const stops = [subscribeToTasks(listener), bootState.subscribe(listener)]
  return () => {
    for (const stop of stops) stop()
  }
}

function countOverdue(day: PlainDate): number {
  const boot = bootState.get()
  if (!boot) return 0
  const { session, mine } = boot
  const isLate = ({ due_date }: Pick<Task, 'due_date'>) => due_date !== null && due_date < day
  const held = countTasks(
    (task) => isLate(task) && task.assignee_ids.includes(session.user.id) && !isTaskFinished(task),
  )
  return held + mine.due.filter((task) => isLate(task) && !getServerTask(task.id)).length
}
