import { useCallback, useSyncExternalStore } from 'react'
import type { ListSelection } from '../selection/list-selection.ts'

/** The task whose title is being edited; renders again when that changes. */
export const useEditedNumber = (selection: ListSelection): number | undefined =>
  useSyncExternalStore(
    selection.subscribe,
    useCallback(() => selection.editing, [selection]),
  )
