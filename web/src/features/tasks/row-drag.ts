import { type PointerEvent as ReactPointerEvent, useCallback, useRef } from 'react'
import type { Layout } from './layout.ts'
import type { Measures } from './measures.ts'
import { type Spot, spotOf } from './reorder.ts'
import { swallowClick } from './swallow-click.ts'

interface Wanted {
  layout: Layout
  measures: Measures
  list: () => HTMLElement | null
  scroll: () => HTMLElement | null
  /** Whether rows can be put anywhere in a group, or only into another one. */
  byHand: boolean
  drop: (number: number, from: Spot, to: Spot) => void
}

const BEGIN_PX = 5
const EDGE_PX = 48
const STEP_PX = 14

interface Drag {
  number: number
  y: number
  moved: boolean
  row: HTMLElement
  line: HTMLElement
  to?: Spot | undefined
  frame: number
}

/**
 * Rows are drawn by their number or any empty place of theirs. While one is held nothing renders: a line is moved
 * and the list scrolls at its edges.
 */
export function useRowDrag(wanted: Wanted): (event: ReactPointerEvent) => void {
  const latest = useRef(wanted)
  latest.current = wanted
  return useCallback((event: ReactPointerEvent) => {
    if (event.button !== 0 || event.pointerType === 'touch' || event.shiftKey) return
    const target = event.target instanceof Element ? event.target : undefined
    const row = target?.closest<HTMLElement>('[data-number]')
    if (!row || target?.closest('input, button, .title, [data-field]')) return
    const number = Number(row.dataset.number)
    if (number <= 0) return
    begin(latest, { number, row, y: event.clientY, moved: false, line: newLine(), frame: 0 })
  }, [])
}

function begin(latest: { current: Wanted }, drag: Drag): void {
  const ending = new AbortController()
  const { signal } = ending
  const move = (event: PointerEvent) => {
    if (!drag.moved && Math.abs(event.clientY - drag.y) < BEGIN_PX) return
    if (!drag.moved) {
      drag.moved = true
      drag.row.dataset.held = ''
      latest.current.list()?.append(drag.line)
      drag.frame = requestAnimationFrame(() => scrollOn(latest, drag))
    }
    drag.y = event.clientY
    point(latest.current, drag)
  }
  const end = (drop: boolean) => {
    ending.abort()
    cancelAnimationFrame(drag.frame)
    delete drag.row.dataset.held
    drag.line.remove()
    if (!drag.moved) return
    swallowClick()
    const { layout } = latest.current
    const section = layout.sections.find(({ lines }) =>
      lines.some((line) => line.number === drag.number),
    )
    if (drop && drag.to && section) {
      latest.current.drop(drag.number, spotOf(section, drag.number), drag.to)
    }
  }
  addEventListener('pointermove', move, { signal })
  addEventListener('pointerup', () => end(true), { signal })
  addEventListener('pointercancel', () => end(false), { signal })
  addEventListener('dragstart', (event) => event.preventDefault(), { signal })
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    end(false)
  }
  addEventListener('keydown', press, { signal, capture: true })
}

/** Shows where it would be put: between two rows, or in a group as a whole. */
function point({ layout, list, measures, byHand }: Wanted, drag: Drag): void {
  const box = list()?.getBoundingClientRect()
  if (!box) return
  const offset = drag.y - box.top
  const index = Math.max(0, Math.min(layout.size - 1, measures.indexAt(offset)))
  const item = layout.at(index)
  if (!item) return
  const [start, end] = [measures.startOf(index), measures.startOf(index + 1)]
  const after = offset > (start + end) / 2
  const { section } = item
  let top = after ? end : start
  if (item.kind === 'task') {
    drag.to = { key: section.key, beside: { number: item.line.number, after } }
  } else {
    const edge = item.kind === 'head' ? section.lines[0] : section.lines.at(-1)
    drag.to = {
      key: section.key,
      beside: edge && { number: edge.number, after: item.kind === 'add' },
    }
    top = end
  }
  if (drag.to.beside?.number === drag.number) drag.to = undefined
  if (!byHand && drag.to) drag.to = { key: section.key }
  drag.line.style.transform = `translateY(${top}px)`
  drag.line.hidden = drag.to === undefined
}

function scrollOn(latest: { current: Wanted }, drag: Drag): void {
  const scroll = latest.current.scroll()
  const box = scroll?.getBoundingClientRect()
  if (scroll && box) {
    const by = drag.y < box.top + EDGE_PX ? -STEP_PX : drag.y > box.bottom - EDGE_PX ? STEP_PX : 0
    if (by !== 0) {
      scroll.scrollBy(0, by)
      point(latest.current, drag)
    }
  }
  drag.frame = requestAnimationFrame(() => scrollOn(latest, drag))
}

function newLine(): HTMLElement {
  const line = document.createElement('div')
  line.className = 'drop-line'
  return line
}
