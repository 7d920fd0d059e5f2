import { createContext, useContext } from 'react'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'

/** Whether properties render as part of the line of unset properties, without their row. */
export const UnsetPropertiesContext = createContext(false)

/** Returns the label of an empty value: "None", or the property name in the line of unset ones. */
export const useEmptyLabel = (name: string): string =>
  useContext(UnsetPropertiesContext) ? name : taskDetailMessages.none
