import type { RefObject } from 'react'
import { searchMessages } from '../../messages/app/search.ts'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { type CrossProjectSelection, useCrossProjectShortcuts } from '../my-work/index.ts'

/**
 * Shortcuts of the search results, in addition to those of the list. `/` and Escape move the focus
 * back to the search field. If a task is open in the side panel, Escape closes it first (`close`).
 */
export function useSearchShortcuts(
  list: RefObject<HTMLElement | null>,
  field: RefObject<HTMLInputElement | null>,
  selectionState: { selection: CrossProjectSelection; order: readonly string[] },
  close: (() => void) | undefined,
): { focusFirst: () => void } {
  const isOutsidePanel = () => !document.activeElement?.closest('.panel')
  const isInList = () => list.current?.contains(document.activeElement) === true
  const handleEscape = () => (close ? close() : field.current?.focus())
  useShortcuts(searchMessages.results, [
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
  return useCrossProjectShortcuts(list, selectionState)
}
