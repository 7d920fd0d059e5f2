import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useRef } from 'react'
import type { Layout } from '../layout.ts'
import { type Spot, spotOf } from '../reorder.ts'
import { swallowClick } from '../swallow-click.ts'
import { heldBack, onHold } from './touch-hold.ts'

interface Wanted {
  layout: Layout
  /** Whether cards can be put anywhere in a column, or only into another one. */
  byHand: boolean
  drop: (number: number, from: Spot, to: Spot) => void
}

const BEGIN_PX = 5
const EDGE_PX = 56
const STEP_PX = 14

interface Drag {
  number: number
  from: { x: number; y: number }
  at: { x: number; y: number }
  slip: HTMLElement
  board: HTMLElement | null
  held: HTMLElement | undefined
  line: HTMLElement
  to: Spot | undefined
  frame: number
}

/**
 * Slips are drawn by the pointer: a copy follows it, a line shows where it would lie, and nothing renders until it is
 * let go. A finger scrolls, unless it rests on a slip first.
 */
export function useCardDrag(wanted: Wanted): (event: ReactPointerEvent) => void {
  const latest = useRef(wanted)
  latest.current = wanted
  useEffect(heldBack, [])
  return useCallback((event: ReactPointerEvent) => {
    if (event.button !== 0 || !event.isPrimary) return
    const target = event.target instanceof Element ? event.target : undefined
    const slip = target?.closest<HTMLElement>('.card[data-number]')
    if (!slip || target?.closest('button, input')) return
    const number = Number(slip.dataset.number)
    if (number <= 0) return
    const at = { x: event.clientX, y: event.clientY }
    const line = document.createElement('div')
    line.className = 'drop-line'
    const none = { held: undefined, to: undefined, frame: 0 }
    const board = slip.closest<HTMLElement>('.board')
    begin(latest, { number, slip, board, line, from: at, at, ...none }, event.pointerType)
  }, [])
}

function begin(latest: { current: Wanted }, drag: Drag, pointer: string): void {
  const ending = new AbortController()
  const { signal } = ending
  const move = ({ clientX: x, clientY: y }: PointerEvent) => {
    drag.at = { x, y }
    const far = Math.hypot(x - drag.from.x, y - drag.from.y)
    if (!drag.held && far < BEGIN_PX) return
    if (!drag.held && pointer === 'touch') return end(false)
    if (!drag.held) lift(latest, drag)
    follow(drag)
    point(latest.current, drag)
  }
  const end = (drop: boolean) => {
    ending.abort()
    cancelAnimationFrame(drag.frame)
    drag.line.remove()
    drag.slip.parentElement?.removeAttribute('data-held')
    if (!drag.held) return
    drag.held.remove()
    drag.board?.style.removeProperty('scroll-snap-type')
    swallowClick()
    const { layout } = latest.current
    const section = layout.sections.find(({ lines }) =>
      lines.some((line) => line.number === drag.number),
    )
    if (!drop || !drag.to || !section) return
    latest.current.drop(drag.number, spotOf(section, drag.number), drag.to)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    end(false)
  }
  addEventListener('pointermove', move, { signal })
  addEventListener('pointerup', () => end(true), { signal })
  addEventListener('pointercancel', () => end(false), { signal })
  addEventListener('dragstart', (event) => event.preventDefault(), { signal })
  addEventListener('keydown', press, { signal, capture: true })
  if (pointer === 'touch') onHold(drag.slip, signal, () => lift(latest, drag))
}

function lift(latest: { current: Wanted }, drag: Drag): void {
  const box = drag.slip.getBoundingClientRect()
  const held = drag.slip.cloneNode(true) as HTMLElement
  held.classList.add('held', 'flying')
  held.setAttribute('aria-hidden', 'true')
  held.inert = true
  Object.assign(held.style, {
    insetBlockStart: `${box.top}px`,
    insetInlineStart: `${box.left}px`,
    inlineSize: `${box.width}px`,
  })
  drag.board?.append(held)
  // Where it snaps to columns it would not scroll a little at its edge.
  drag.board?.style.setProperty('scroll-snap-type', 'none')
  drag.slip.parentElement?.setAttribute('data-held', '')
  drag.held = held
  drag.frame = requestAnimationFrame(() => scrollOn(latest, drag))
}

const follow = ({ held, at, from }: Drag) => {
  if (held) held.style.translate = `${at.x - from.x}px ${at.y - from.y}px`
}

function point({ byHand }: Wanted, drag: Drag): void {
  const under = document.elementFromPoint(drag.at.x, drag.at.y)
  const column = under?.closest<HTMLElement>('[data-column]')
  drag.to = undefined
  drag.line.hidden = true
  if (!column) return
  const key = column.dataset.column ?? ''
  const slips = [...column.querySelectorAll<HTMLElement>('li > .card[data-number]')]
  const list = column.querySelector('ul')
  const next = slips.find((slip) => {
    const { top, height } = slip.getBoundingClientRect()
    return drag.at.y < top + height / 2
  })
  const beside = next ?? slips.at(-1)
  const number = Number(beside?.dataset.number)
  drag.to = { key, beside: beside && byHand ? { number, after: !next } : undefined }
  if (number === drag.number) drag.to = undefined
  if (!list || !byHand || !drag.to) return
  const edge = beside?.getBoundingClientRect()
  const top = list.getBoundingClientRect().top - list.scrollTop
  const y = edge ? (next ? edge.top - 4 : edge.bottom + 2) - top : 4
  list.append(drag.line)
  drag.line.hidden = false
  drag.line.style.transform = `translateY(${y}px)`
}

/** At its edges the column scrolls, and the board beside it. */
function scrollOn(latest: { current: Wanted }, drag: Drag): void {
  const { x, y } = drag.at
  const list = document.elementFromPoint(x, y)?.closest('[data-column]')?.querySelector('ul')
  const { board } = drag
  const by = (at: number, start: number, end: number) =>
    at < start + EDGE_PX ? -STEP_PX : at > end - EDGE_PX ? STEP_PX : 0
  const inside = list?.getBoundingClientRect()
  const around = board?.getBoundingClientRect()
  if (list && inside) list.scrollBy(0, by(y, inside.top, inside.bottom))
  if (board && around) {
    board.scrollBy(by(x, around.left, around.right), by(y, around.top, around.bottom))
  }
  point(latest.current, drag)
  drag.frame = requestAnimationFrame(() => scrollOn(latest, drag))
}
