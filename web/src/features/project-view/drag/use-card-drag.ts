import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useRef } from 'react'
import { isTempId } from '../../../data/tasks/task-store.ts'
import { suppressClick } from '../../../ui/pointer/suppress-click.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import { type DropTarget, dropTargetOf } from './drop-target.ts'

interface CardDragOptions {
  layout: ListLayout
  /** Whether cards can be dropped at any place of a column, or only into another column. */
  isManualOrder: boolean
  drop: (id: string, from: DropTarget, to: DropTarget) => void
}

const DRAG_THRESHOLD_PX = 5
const SCROLL_EDGE_PX = 56
const SCROLL_STEP_PX = 14

interface CardDrag {
  id: string
  from: { x: number; y: number }
  at: { x: number; y: number }
  card: HTMLElement
  board: HTMLElement | null
  preview: HTMLElement | undefined
  line: HTMLElement
  to: DropTarget | undefined
  frame: number
}

/**
 * Drags cards. A copy follows the pointer and a line shows the drop position; React renders nothing
 * before the drop. A finger scrolls, unless it first rests on a card.
 */
export function useCardDrag(options: CardDragOptions): (event: ReactPointerEvent) => void {
  const latest = useRef(options)
  latest.current = options
  useEffect(installTouchHold, [])
  return useCallback((event: ReactPointerEvent) => {
    if (event.button !== 0 || !event.isPrimary) return
    const target = event.target instanceof Element ? event.target : undefined
    const card = target?.closest<HTMLElement>('.card[data-task]')
    if (!card || target?.closest('button, input')) return
    const { task: id = '' } = card.dataset
    if (isTempId(id)) return
    const at = { x: event.clientX, y: event.clientY }
    const line = document.createElement('div')
    line.className = 'drop-line'
    const initial = { preview: undefined, to: undefined, frame: 0 }
    const board = card.closest<HTMLElement>('.board')
    startDrag(latest, { id, card, board, line, from: at, at, ...initial }, event.pointerType)
  }, [])
}

function startDrag(latest: { current: CardDragOptions }, drag: CardDrag, pointer: string): void {
  const controller = new AbortController()
  const { signal } = controller
  const move = ({ clientX: x, clientY: y }: PointerEvent) => {
    drag.at = { x, y }
    const distance = Math.hypot(x - drag.from.x, y - drag.from.y)
    if (!drag.preview && distance < DRAG_THRESHOLD_PX) return
    if (!drag.preview && pointer === 'touch') return end(false)
    if (!drag.preview) showPreview(latest, drag)
    movePreview(drag)
    updateDropTarget(latest.current, drag)
  }
  const end = (drop: boolean) => {
    controller.abort()
    cancelAnimationFrame(drag.frame)
    drag.line.remove()
    drag.card.parentElement?.removeAttribute('data-held')
    if (!drag.preview) return
    drag.preview.remove()
    drag.board?.style.removeProperty('scroll-snap-type')
    suppressClick()
    const { layout } = latest.current
    const section = layout.sections.find(({ lines }) => lines.some((line) => line.id === drag.id))
    if (!drop || !drag.to || !section) return
    latest.current.drop(drag.id, dropTargetOf(section, drag.id), drag.to)
  }
  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    end(false)
  }
  addEventListener('pointermove', move, { signal })
  addEventListener('pointerup', () => end(true), { signal })
  addEventListener('pointercancel', () => end(false), { signal })
  addEventListener('dragstart', (event) => event.preventDefault(), { signal })
  addEventListener('keydown', cancelOnEscape, { signal, capture: true })
  if (pointer === 'touch') onTouchHold(drag.card, signal, () => showPreview(latest, drag))
}

function showPreview(latest: { current: CardDragOptions }, drag: CardDrag): void {
  const box = drag.card.getBoundingClientRect()
  const preview = drag.card.cloneNode(true) as HTMLElement
  preview.classList.add('held', 'flying')
  preview.setAttribute('aria-hidden', 'true')
  preview.inert = true
  Object.assign(preview.style, {
    insetBlockStart: `${box.top}px`,
    insetInlineStart: `${box.left}px`,
    inlineSize: `${box.width}px`,
  })
  drag.board?.append(preview)
  // With scroll snapping the board could not scroll in small steps at its edges.
  drag.board?.style.setProperty('scroll-snap-type', 'none')
  drag.card.parentElement?.setAttribute('data-held', '')
  drag.preview = preview
  drag.frame = requestAnimationFrame(() => scrollAtEdge(latest, drag))
}

const movePreview = ({ preview, at, from }: CardDrag) => {
  if (preview) preview.style.translate = `${at.x - from.x}px ${at.y - from.y}px`
}

function updateDropTarget({ isManualOrder }: CardDragOptions, drag: CardDrag): void {
  const element = document.elementFromPoint(drag.at.x, drag.at.y)
  const column = element?.closest<HTMLElement>('[data-column]')
  drag.to = undefined
  drag.line.hidden = true
  if (!column) return
  const key = column.dataset.column ?? ''
  const cards = [...column.querySelectorAll<HTMLElement>('li > .card[data-task]')]
  const list = column.querySelector('ul')
  const next = cards.find((card) => {
    const { top, height } = card.getBoundingClientRect()
    return drag.at.y < top + height / 2
  })
  const beside = next ?? cards.at(-1)
  const { task: id = '' } = beside?.dataset ?? {}
  drag.to = { key, beside: beside && isManualOrder ? { id, after: !next } : undefined }
  if (id === drag.id) drag.to = undefined
  if (!list || !isManualOrder || !drag.to) return
  const edge = beside?.getBoundingClientRect()
  const top = list.getBoundingClientRect().top - list.scrollTop
  const y = edge ? (next ? edge.top - 4 : edge.bottom + 2) - top : 4
  list.append(drag.line)
  drag.line.hidden = false
  drag.line.style.transform = `translateY(${y}px)`
}

/** Scrolls the column under the pointer, and the board, near their edges. */
function scrollAtEdge(latest: { current: CardDragOptions }, drag: CardDrag): void {
  const { x, y } = drag.at
  const list = document.elementFromPoint(x, y)?.closest('[data-column]')?.querySelector('ul')
  const { board } = drag
  const stepAt = (at: number, start: number, end: number) =>
    at < start + SCROLL_EDGE_PX ? -SCROLL_STEP_PX : at > end - SCROLL_EDGE_PX ? SCROLL_STEP_PX : 0
  const listBox = list?.getBoundingClientRect()
  const boardBox = board?.getBoundingClientRect()
  if (list && listBox) list.scrollBy(0, stepAt(y, listBox.top, listBox.bottom))
  if (board && boardBox) {
    board.scrollBy(
      stepAt(x, boardBox.left, boardBox.right),
      stepAt(y, boardBox.top, boardBox.bottom),
    )
  }
  updateDropTarget(latest.current, drag)
  drag.frame = requestAnimationFrame(() => scrollAtEdge(latest, drag))
}

/** How long a finger must rest on a card before it starts a drag. */
const HOLD_MS = 250

const hold = { isActive: false }

/** During a drag, a touch neither scrolls nor ends in a click. */
const preventWhileHolding = (event: TouchEvent) => {
  if (hold.isActive && event.cancelable) event.preventDefault()
}

/**
 * Must be installed before the touch starts, because browsers do not let a listener that was added
 * later prevent scrolling. Returns what removes the listeners.
 */
function installTouchHold(): () => void {
  const controller = new AbortController()
  const options = { passive: false, signal: controller.signal }
  document.addEventListener('touchmove', preventWhileHolding, options)
  document.addEventListener('touchend', preventWhileHolding, options)
  return () => controller.abort()
}

/**
 * Calls `onHoldStart` when the finger has rested on the card, unless the signal is aborted first.
 */
function onTouchHold(card: HTMLElement, signal: AbortSignal, onHoldStart: () => void): void {
  const timer = setTimeout(() => {
    hold.isActive = true
    onHoldStart()
  }, HOLD_MS)
  // Touch events always go to the element where the touch started, even after it was removed.
  card.addEventListener('touchmove', preventWhileHolding, { passive: false, signal })
  // Suppresses the browser's context menu of a long press.
  addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    // The touchend event follows pointerup.
    setTimeout(() => {
      hold.isActive = false
    })
  })
}
