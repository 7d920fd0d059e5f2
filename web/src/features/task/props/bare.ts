import { createContext, useContext } from 'react'
import { m } from '../../../messages/task.ts'

/** Whether properties that are not set stand together in one line, by their names alone. */
export const BareContext = createContext(false)

/** What stands where a property has no value: "None", or its own name in the line of those to add. */
export const useEmptyWord = (name: string): string => (useContext(BareContext) ? name : m.none)
