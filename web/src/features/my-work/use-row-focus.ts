import { type RefObject, useEffect, useMemo, useRef } from 'react'
import { flushSync } from 'react-dom'
import { atom } from '../../lib/state/atom.ts'

const findRowOf = (element: Element | null | undefined): HTMLElement | undefined =>
  element?.closest<HTMLElement>('[data-row]') ?? undefined

/** Moves the focus between the rows of a long list, also to rows that are not rendered yet. */
export function useRowFocus(scroll: RefObject<HTMLElement | null>, ids: readonly string[]) {
  const latestIds = useRef(ids)
  latestIds.current = ids
  const rowFocus = useMemo(() => {
    /** The row that had the focus last. */
    const focused = atom<string | undefined>(undefined)
    const findRow = (id: string) =>
      scroll.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`) ?? undefined
    const getRow = () => findRowOf(document.activeElement)
    const focusRow = (id: string | undefined) => {
      if (id === undefined) return
      if (!findRow(id)) flushSync(() => focused.set(id))
      const link = findRow(id)?.querySelector<HTMLElement>('a.title')
      link?.focus()
      link?.closest('.row')?.scrollIntoView({ block: 'nearest' })
    }
    return {
      focused,
      /** The row with the focus, and its id. */
      getRow,
      getId: () => getRow()?.dataset.row,
      focusRow,
      /** Focuses the next or previous row, or the first if none has the focus. Returns its id. */
      move(by: 1 | -1): string | undefined {
        const all = latestIds.current
        const index = all.indexOf(getRow()?.dataset.row ?? '')
        const id = index === -1 ? all[0] : all[Math.min(Math.max(index + by, 0), all.length - 1)]
        focusRow(id)
        return id
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
