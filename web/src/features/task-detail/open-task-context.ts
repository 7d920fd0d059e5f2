import { createContext, useContext } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { Task } from '../../data/tasks/task-patch.ts'

/** The open task and its navigation, for every component of the task detail. */
export interface OpenTask {
  task: Task
  project: Project | undefined
  /** Whether the task is shown as a page of its own, not as a panel beside a list. */
  page: boolean
  /** Shows another task in the same place. */
  showTask: (shortId: string) => void
  /**
   * Closes the panel, or leaves the page for the project. The panel returns the focus to what opened
   * it, or to `next` because that vanishes with the task.
   */
  leave: (next?: string) => void
}

export const OpenTaskContext = createContext<OpenTask | undefined>(undefined)

export function useOpenTask(): OpenTask {
  const openTask = useContext(OpenTaskContext)
  if (!openTask) throw new Error('A part of a task is shown outside of one')
  return openTask
}
