import { useCallback, useSyncExternalStore } from 'react'
import type { ListSelection } from '../selection/list-selection.ts'

/** The id of the task whose title is being edited; renders again when that changes. */
export const useEditedId = (selection: ListSelection): string | undefined =>
  useSyncExternalStore(
    selection.subscribe,
    useCallback(() => selection.editing, [selection]),
  )
