import { createContext, useContext } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { Task } from '../../data/task-view.ts'

/** The task that is shown, and how to get to others: what every part of it needs. */
export interface OpenTask {
  task: Task
  project: Project | undefined
  /** A page of its own, not a panel beside a list. */
  page: boolean
  /** Shows another task in the same place. */
  go: (shortId: string) => void
  /** Leaves: the panel closes, the page gives way to the project. */
  leave: () => void
}

export const OpenTaskContext = createContext<OpenTask | undefined>(undefined)

export function useOpenTask(): OpenTask {
  const found = useContext(OpenTaskContext)
  if (!found) throw new Error('A part of a task is shown outside of one')
  return found
}
