import { useEffect, useRef } from 'react'
import type { Shortcut } from '../../../ui/keyboard/use-shortcuts.ts'
import type { MenuItem } from '../../../ui/overlays/menu-button.tsx'
import { openOverlay, runAfterMenu } from '../../../ui/overlays/overlay-stack.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import { describeTargets, resolveTargets } from './run-command.tsx'

/** How long a finger rests on a row until its menu opens. */
const HOLD_MS = 500
/** A finger that has moved so far scrolls, swipes or drags. */
const MOVE_PX = 10

type Commands = readonly (readonly Shortcut[])[]
type OpenMenu = (row: Element | null, at?: { x: number; y: number }) => void

/**
 * The menu of the rows and cards of a screen, with the commands of its keys, by right click and long
 * press. Returns what opens it at a row, for a key. The menu acts on the selection if the row is in it.
 */
export function useContextMenu(context: ProjectPageContext, commands: Commands): OpenMenu {
  const openMenu: OpenMenu = (row, at) => {
    const id = row instanceof HTMLElement ? row.dataset.task : undefined
    if (!row || id === undefined) return
    // The commands are for the row of the cursor.
    context.selection.followFocus(id)
    if (row instanceof HTMLElement) row.focus({ preventScroll: true })
    const sections = commands
      .map((section) => ({
        items: section.filter(({ when }) => when?.() !== false).map(toMenuItem),
      }))
      .filter(({ items }) => items.length > 0)
    const mark = createMark(row, at)
    const label = describeTargets(resolveTargets(context, id))
    openOverlay({ kind: 'menu', anchor: mark, atPoint: true, label, sections }, () => mark.remove())
  }
  const latest = useRef(openMenu)
  latest.current = openMenu
  useEffect(() => listenForMenu((row, at) => latest.current(row, at)), [])
  return openMenu
}

const toMenuItem = ({ keys, id, label, run }: Shortcut): MenuItem => ({
  id: id ?? keys,
  label,
  danger: keys === '#',
  ...(keys !== '' && { shortcut: keys }),
  // What opens next takes the focus, which the menu first gives back to the row.
  run: () => runAfterMenu(run),
})

/** The place at which the menu opens: the pointer, or for a key the title of the row. */
function createMark(row: Element, at: { x: number; y: number } | undefined): Element {
  const box = (row.querySelector('.title') ?? row).getBoundingClientRect()
  const mark = document.createElement('span')
  const { x, y } = at ?? { x: box.left, y: box.bottom }
  Object.assign(mark.style, { position: 'fixed', left: `${x}px`, top: `${y}px` })
  document.body.append(mark)
  return mark
}

/** The row or card of a task under the pointer, unless one writes in it. */
function findRow({ target }: Event): HTMLElement | null {
  if (!(target instanceof Element) || target.closest('input, textarea')) return null
  return target.closest<HTMLElement>('main [data-task]')
}

/** Calls `open` on a right click on a row, and when a finger rests on one. Returns what ends that. */
function listenForMenu(open: (row: HTMLElement, at: { x: number; y: number }) => void): () => void {
  const controller = new AbortController()
  const { signal } = controller
  let touch: AbortController | undefined
  let isOpenedByTouch = false
  const openOnRightClick = (event: MouseEvent) => {
    // The Menu key sends another event once the menu is open, for which the browser has a menu too.
    if (event.target instanceof Element && event.target.closest('.pop')) event.preventDefault()
    const row = findRow(event)
    // With Shift, a right click asks for the menu of the browser.
    if (!row || event.shiftKey) return
    event.preventDefault()
    if (!touch) open(row, { x: event.clientX, y: event.clientY })
  }
  const followFinger = (event: PointerEvent) => {
    isOpenedByTouch = false
    const row = findRow(event)
    if (!row || event.pointerType !== 'touch' || !event.isPrimary) return
    const finger = new AbortController()
    touch = finger
    const at = { x: event.clientX, y: event.clientY }
    const openMenu = () => {
      end()
      isOpenedByTouch = true
      open(row, at)
    }
    let isHeld = false
    const timer = setTimeout(() => {
      isHeld = true
      // A card that is held can still be dragged: its menu opens if it is released in its place.
      if (!row.matches('.card')) openMenu()
    }, HOLD_MS)
    const end = () => {
      clearTimeout(timer)
      finger.abort()
      touch = undefined
    }
    const options = { signal: finger.signal }
    addEventListener('pointerup', () => (isHeld ? openMenu() : end()), options)
    addEventListener('pointercancel', end, options)
    addEventListener(
      'pointermove',
      ({ clientX, clientY }) => {
        if (Math.hypot(clientX - at.x, clientY - at.y) > MOVE_PX) end()
      },
      options,
    )
  }
  // The touch that has opened the menu ends in no click, which would open the task.
  const preventClick = (event: TouchEvent) => {
    if (isOpenedByTouch && event.cancelable) event.preventDefault()
    isOpenedByTouch = false
  }
  // Browsers send the end of a touch only to listeners that were there at its start.
  addEventListener('touchend', preventClick, { signal, passive: false })
  addEventListener('contextmenu', openOnRightClick, { signal })
  addEventListener('pointerdown', followFinger, { signal })
  return () => {
    touch?.abort()
    controller.abort()
  }
}
