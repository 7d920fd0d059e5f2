import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { flushSync } from 'react-dom'
import { atom } from '../../lib/state/atom.ts'

const findRowOf = (element: Element | null | undefined): HTMLElement | undefined =>
  element?.closest<HTMLElement>('[data-row]') ?? undefined

const hasNothingFocus = () => document.activeElement === document.body

/** Moves the focus between the rows of a long list, also to rows that are not rendered yet. */
export function useRowFocus(scroll: RefObject<HTMLElement | null>, ids: readonly string[]) {
  const latestIds = useRef(ids)
  const rowFocus = useMemo(() => {
    /** The row that had the focus last. */
    const focused = atom<string | undefined>(undefined)
    /** Its index, as long as it was listed. */
    let lastIndex = -1
    const findRow = (id: string) =>
      scroll.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`) ?? undefined
    const getRow = () => findRowOf(document.activeElement)
    const findLink = (id: string) => findRow(id)?.querySelector<HTMLElement>('a.title')
    const focusRow = (id: string | undefined) => {
      if (id === undefined) return
      if (!findRow(id)) flushSync(() => focused.set(id))
      const link = findLink(id)
      link?.focus()
      link?.closest('.row')?.scrollIntoView({ block: 'nearest' })
    }
    return {
      focused,
      /** The row with the focus, and its id. */
      getRow,
      getId: () => getRow()?.dataset.row,
      focusRow,
      /** Whether a row has the focus, or had it and nothing else has it now. */
      hasPosition: () =>
        getRow() !== undefined || (hasNothingFocus() && focused.get() !== undefined),
      /**
       * Focuses the row after or before the one that has the focus, or had it last, and otherwise the
       * first. If that row is gone, this goes on from its place. Returns the id of the focused row.
       */
      move(by: 1 | -1): string | undefined {
        const all = latestIds.current
        const index = all.indexOf(getRow()?.dataset.row ?? focused.get() ?? '')
        // The next row has taken the place of the one that is gone.
        const place = by > 0 ? lastIndex : lastIndex - 1
        const target = index === -1 ? (hasNothingFocus() ? place : 0) : index + by
        const id = all[Math.min(Math.max(target, 0), all.length - 1)]
        focusRow(id)
        return id
      },
      /** Called before another order replaces the current one. */
      rememberIndex(): void {
        const index = latestIds.current.indexOf(focused.get() ?? '')
        if (index !== -1) lastIndex = index
      },
      /** Focuses a row whose element was replaced by another, unless something else has the focus. */
      restoreFocus(id: string): void {
        if (hasNothingFocus()) findLink(id)?.focus({ preventScroll: true })
      },
      /** Moves the focus from a row that will vanish with others to the next one that stays. */
      leave(vanishing: readonly string[]): void {
        const all = latestIds.current
        const index = all.indexOf(getRow()?.dataset.row ?? '')
        const stays = (id: string) => !vanishing.includes(id)
        if (index >= 0)
          focusRow(all.slice(index).find(stays) ?? all.slice(0, index).findLast(stays))
      },
    }
  }, [scroll])
  if (latestIds.current !== ids) rowFocus.rememberIndex()
  latestIds.current = ids
  // Read before the DOM changes: a row that moves to another section gets another element.
  const focusedId = rowFocus.getId()
  useLayoutEffect(() => {
    if (focusedId !== undefined) rowFocus.restoreFocus(focusedId)
  })
  useEffect(() => {
    const element = scroll.current
    const handleFocus = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? findRowOf(target) : undefined
      if (row) rowFocus.focused.set(row.dataset.row)
    }
    element?.addEventListener('focusin', handleFocus)
    return () => element?.removeEventListener('focusin', handleFocus)
  }, [scroll, rowFocus])
  return rowFocus
}

/** The focus of the rows of a long list. */
export type RowFocus = ReturnType<typeof useRowFocus>
