import { createContext, useContext } from 'react'
import type { Task } from '../../../data/tasks/task-patch.ts'

/** Where a new task will be added. */
export interface NewTaskTarget {
  /** Key of the group at whose end the input is shown. */
  group: string
  /** The parent, if the new task is a subtask. */
  parent?: Pick<Task, 'id' | 'short_id' | 'project_id'> | undefined
}

export interface QuickAddState {
  place: NewTaskTarget | undefined
  begin: (place: NewTaskTarget) => void
  end: () => void
}

export const QuickAddContext = createContext<QuickAddState>({
  place: undefined,
  begin: () => undefined,
  end: () => undefined,
})
export const useQuickAdd = (): QuickAddState => useContext(QuickAddContext)
