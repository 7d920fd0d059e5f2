import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { flushSync } from 'react-dom'
import { atom } from '../../lib/state/atom.ts'
import { getSteppingOrder } from '../../lib/state/stepping-order.ts'

const findRowOf = (element: Element | null | undefined): HTMLElement | undefined =>
  element?.closest<HTMLElement>('[data-row]') ?? undefined

const hasNothingFocus = () => document.activeElement === document.body

/** Moves the focus between the rows of a long list, also to rows that are not rendered yet. */
export function useRowFocus(scroll: RefObject<HTMLElement | null>, ids: readonly string[]) {
  const latestIds = useRef(ids)
  const rowFocus = useMemo(() => {
    /** The row that had the focus last. */
    const focused = atom<string | undefined>(undefined)
    let focusedRow: HTMLElement | undefined
    /** The order in which J and K go on, if that row has moved or is gone: it has its old place there. */
    let steppingOrder: readonly string[] | undefined
    let isMovedByHand = false
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
       * first. If that row has moved or is gone, this goes on from its old place. Returns the id of the
       * focused row.
       */
      move(by: 1 | -1, order = steppingOrder): string | undefined {
        const isThere = getRow() !== undefined || hasNothingFocus()
        const all = (isThere ? order : undefined) ?? latestIds.current
        const index = all.indexOf(getRow()?.dataset.row ?? focused.get() ?? '')
        const target = index === -1 ? 0 : index + by
        const id = all[Math.min(Math.max(target, 0), all.length - 1)]
        focusRow(id)
        return id
      },
      /** Called before another order replaces the current one. */
      rememberPlace(ids: readonly string[]): void {
        const id = focused.get()
        if (id === undefined) return
        const order = getSteppingOrder(steppingOrder ?? latestIds.current, ids, id)
        steppingOrder = order === ids || isMovedByHand ? undefined : order
        isMovedByHand = false
      },
      /** Called before the person moves a row: its new place is where they work. */
      moveByHand(): void {
        isMovedByHand = true
      },
      /** Called when an element of a row has received the focus. */
      rememberRow(row: HTMLElement): void {
        if (row.dataset.row !== focused.get()) steppingOrder = undefined
        focusedRow = row
        focused.set(row.dataset.row)
      },
      /** Focuses the row that had the focus last, unless something else has it. */
      restoreFocus(): void {
        const id = focused.get()
        if (id !== undefined && hasNothingFocus()) findLink(id)?.focus({ preventScroll: true })
      },
      /** Restores the focus that went with the element of a row, which has another one now. */
      restoreLostFocus(): void {
        if (findRow(focused.get() ?? '') !== focusedRow) this.restoreFocus()
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
  if (latestIds.current !== ids) rowFocus.rememberPlace(ids)
  latestIds.current = ids
  // A row that moves to another section or comes back gets another element, also below a picker.
  useLayoutEffect(() => rowFocus.restoreLostFocus())
  useEffect(() => {
    const element = scroll.current
    const handleFocus = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? findRowOf(target) : undefined
      if (row) rowFocus.rememberRow(row)
    }
    element?.addEventListener('focusin', handleFocus)
    return () => element?.removeEventListener('focusin', handleFocus)
  }, [scroll, rowFocus])
  return rowFocus
}

/** The focus of the rows of a long list. */
export type RowFocus = ReturnType<typeof useRowFocus>
