import type { PointerEvent } from 'react'
import { suppressClick } from './suppress-click.ts'

const DRAG_THRESHOLD_PX = 4

interface PointerDragHandlers {
  /** Called with the horizontal distance from the start and the position of the pointer, in px. */
  move: (by: number, at: { x: number; y: number }) => void
  /** `drop` is true if the pointer was released, false if the drag was cancelled. */
  end: (drop: boolean) => void
}

/**
 * Tracks a pointer until it is released. Touch is ignored, because it scrolls; touch users have the
 * menu.
 */
export function trackPointerDrag(event: PointerEvent, { move, end }: PointerDragHandlers): void {
  if (event.button !== 0 || event.pointerType === 'touch') return
  const from = { x: event.clientX, y: event.clientY }
  const controller = new AbortController()
  const { signal } = controller
  let hasStarted = false
  const finish = (drop: boolean) => {
    controller.abort()
    if (!hasStarted) return
    suppressClick()
    end(drop)
  }
  const handleMove = ({ clientX: x, clientY: y }: MouseEvent) => {
    hasStarted ||= Math.hypot(x - from.x, y - from.y) >= DRAG_THRESHOLD_PX
    if (hasStarted) move(x - from.x, { x, y })
  }
  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    finish(false)
  }
  addEventListener('pointermove', handleMove, { signal })
  addEventListener('pointerup', () => finish(true), { signal })
  addEventListener('pointercancel', () => finish(false), { signal })
  for (const kind of ['dragstart', 'selectstart'])
    addEventListener(kind, (event) => event.preventDefault(), { signal })
  addEventListener('keydown', cancelOnEscape, { signal, capture: true })
}

/** Drags an element to another place, while a copy of it follows the pointer. */
export function dragWithPreview(
  event: PointerEvent,
  element: HTMLElement,
  onDrag: (target: Element | null, at: { x: number; y: number }, drop: boolean) => void,
): void {
  let preview: HTMLElement | undefined
  let last = { x: event.clientX, y: event.clientY }
  const from = { ...last }
  trackPointerDrag(event, {
    move: (_, at) => {
      preview ??= createPreview(element)
      last = at
      preview.style.translate = `${at.x - from.x}px ${at.y - from.y}px`
      onDrag(document.elementFromPoint(at.x, at.y), at, false)
    },
    end: (drop) => {
      preview?.remove()
      onDrag(drop ? document.elementFromPoint(last.x, last.y) : null, last, drop)
    },
  })
}

function createPreview(element: HTMLElement): HTMLElement {
  const box = element.getBoundingClientRect()
  const preview = element.cloneNode(true) as HTMLElement
  preview.classList.add('flying')
  preview.setAttribute('aria-hidden', 'true')
  preview.inert = true
  Object.assign(preview.style, {
    insetBlockStart: `${box.top}px`,
    insetInlineStart: `${box.left}px`,
    inlineSize: `${box.width}px`,
  })
  element.closest('main')?.append(preview)
  return preview
}
