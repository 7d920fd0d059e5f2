import { createContext, useContext } from 'react'
import type { Task } from '../../data/task-view.ts'

/** Where a new task is being typed. */
export interface Place {
  /** Key of the group at whose end it stands. */
  group: string
  /** It becomes a subtask of this one. */
  parent?: Task | undefined
}

export interface Adding {
  place: Place | undefined
  begin: (place: Place) => void
  end: () => void
}

export const AddingContext = createContext<Adding>({
  place: undefined,
  begin: () => undefined,
  end: () => undefined,
})
export const useAdding = (): Adding => useContext(AddingContext)
