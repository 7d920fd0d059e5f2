import type { RefObject } from 'react'
import { m } from '../../messages/search.ts'
import { useKeys } from '../../ui/keys.ts'
import { useLineKeys } from '../my/line-keys.ts'
import type { Picked } from '../my/picked.ts'

/**
 * The keys of what was found beside those of its list: `/` goes back to the field, Escape too; a task that is
 * open beside it is closed before (`close`).
 */
export function useResultKeys(
  list: RefObject<HTMLElement | null>,
  field: RefObject<HTMLInputElement | null>,
  selection: { picked: Picked; order: readonly string[] },
  close: (() => void) | undefined,
): { first: () => void } {
  const here = () => !document.activeElement?.closest('.panel')
  const inList = () => list.current?.contains(document.activeElement) === true
  const leave = () => (close ? close() : field.current?.focus())
  useKeys(m.results, [
    { keys: '/', label: m.toField, run: () => field.current?.select(), when: here },
    { keys: 'escape', label: m.toField, run: leave, when: inList, hidden: true },
  ])
  return useLineKeys(list, selection)
}
