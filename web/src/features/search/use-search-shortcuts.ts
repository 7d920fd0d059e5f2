import type { RefObject } from 'react'
import { searchMessages } from '../../messages/app/search.ts'
import { isOutsidePanel } from '../../ui/keyboard/is-outside-panel.ts'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import {
  type CrossProjectSelection,
  type RowFocus,
  useCrossProjectShortcuts,
} from '../my-work/index.ts'

/**
 * Shortcuts of the search results, in addition to those of the list. `/` and Escape move the focus
 * back to the search field. If a task is open in the side panel, Escape closes it first (`close`).
 */
export function useSearchShortcuts(
  rowFocus: RowFocus,
  field: RefObject<HTMLInputElement | null>,
  selectionState: { selection: CrossProjectSelection; order: readonly string[] },
  close: (() => void) | undefined,
): void {
  const isInList = () => rowFocus.getId() !== undefined
  const handleEscape = () => (close ? close() : field.current?.focus())
  useShortcuts('screen', searchMessages.results, [
    {
      keys: '/',
      label: searchMessages.toField,
      run: () => field.current?.select(),
      when: isOutsidePanel,
    },
    {
      keys: 'escape',
      label: searchMessages.toField,
      run: handleEscape,
      when: isInList,
      hidden: true,
    },
  ])
  useCrossProjectShortcuts(rowFocus, selectionState)
}
