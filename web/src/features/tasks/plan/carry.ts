import type { PointerEvent } from 'react'
import { swallowClick } from '../swallow-click.ts'

const BEGIN_PX = 4

interface Carried {
  /** How far it is from where it began, and where the pointer is, px. */
  move: (by: number, at: { x: number; y: number }) => void
  /** `drop`: it was let go; else Escape was pressed, or the pointer lost. */
  end: (drop: boolean) => void
}

/** Follows a pointer from its press until it is let go. A finger scrolls instead; there is the menu for that. */
export function carry(event: PointerEvent, { move, end }: Carried): void {
  if (event.button !== 0 || event.pointerType === 'touch') return
  const from = { x: event.clientX, y: event.clientY }
  const ending = new AbortController()
  const { signal } = ending
  let begun = false
  const finish = (drop: boolean) => {
    ending.abort()
    if (!begun) return
    swallowClick()
    end(drop)
  }
  const follow = ({ clientX: x, clientY: y }: MouseEvent) => {
    begun ||= Math.hypot(x - from.x, y - from.y) >= BEGIN_PX
    if (begun) move(x - from.x, { x, y })
  }
  const press = (pressed: KeyboardEvent) => {
    if (pressed.key !== 'Escape') return
    pressed.stopPropagation()
    finish(false)
  }
  addEventListener('pointermove', follow, { signal })
  addEventListener('pointerup', () => finish(true), { signal })
  addEventListener('pointercancel', () => finish(false), { signal })
  addEventListener('dragstart', (drag) => drag.preventDefault(), { signal })
  addEventListener('keydown', press, { signal, capture: true })
}

/** The same for a slip that is carried to another place: a copy follows the pointer. */
export function carrySlip(
  event: PointerEvent,
  slip: HTMLElement,
  over: (under: Element | null, at: { x: number; y: number }, drop: boolean) => void,
): void {
  let held: HTMLElement | undefined
  let last = { x: event.clientX, y: event.clientY }
  const from = { ...last }
  carry(event, {
    move: (_, at) => {
      held ??= copyOf(slip)
      last = at
      held.style.translate = `${at.x - from.x}px ${at.y - from.y}px`
      over(document.elementFromPoint(at.x, at.y), at, false)
    },
    end: (drop) => {
      held?.remove()
      over(drop ? document.elementFromPoint(last.x, last.y) : null, last, drop)
    },
  })
}

function copyOf(slip: HTMLElement): HTMLElement {
  const box = slip.getBoundingClientRect()
  const held = slip.cloneNode(true) as HTMLElement
  held.classList.add('flying')
  held.setAttribute('aria-hidden', 'true')
  held.inert = true
  Object.assign(held.style, {
    ...{ insetBlockStart: `${box.top}px`, insetInlineStart: `${box.left}px` },
    inlineSize: `${box.width}px`,
  })
  slip.closest('main')?.append(held)
  return held
}
