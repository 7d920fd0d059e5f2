import type { PointerEvent as ReactPointerEvent } from 'react'
import { isPointing } from '../../../data/live/user-activity.ts'
import { isTempId } from '../../../data/tasks/task-store.ts'
import { suppressClick } from '../../../ui/pointer/suppress-click.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import type { RowPositions } from '../layout/row-positions.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { indexOfRow } from '../selection/cursor-focus.ts'
import { type DropTarget, dropTargetOf } from './drop-target.ts'
import { moveTask } from './move-task.ts'

export interface RowDragOptions {
  context: ProjectPageContext
  view: ProjectView
  layout: ListLayout
  measures: RowPositions
  list: () => HTMLElement | null
  scroll: () => HTMLElement | null
}

const DRAG_THRESHOLD_PX = 5
const SCROLL_EDGE_PX = 48
const SCROLL_STEP_PX = 14

interface RowDrag {
  id: string
  /** Key of the group of the row: its task may be in others as well. */
  group: string
  y: number
  moved: boolean
  row: HTMLElement
  line: HTMLElement
  to?: DropTarget | undefined
  frame: number
}

/**
 * Drags rows by their id or an empty part. React renders nothing during a drag: the drop line
 * is moved directly in the DOM, and the list scrolls at its edges.
 */
export function startRowDrag(latest: { current: RowDragOptions }, event: ReactPointerEvent): void {
  // The pointer may be up again by the time at which this code was loaded.
  if (event.button !== 0 || event.pointerType === 'touch' || event.shiftKey || !isPointing()) return
  const target = event.target instanceof Element ? event.target : undefined
  const row = target?.closest<HTMLElement>('[data-task]')
  if (!row || target?.closest('input, button, .title, [data-field]')) return
  const id = row.dataset.task ?? ''
  const group = latest.current.layout.itemAt(indexOfRow(row))?.section.key
  if (isTempId(id) || group === undefined) return
  startDrag(latest, {
    id,
    group,
    row,
    y: event.clientY,
    moved: false,
    line: createDropLine(),
    frame: 0,
  })
}

function startDrag(latest: { current: RowDragOptions }, drag: RowDrag): void {
  const controller = new AbortController()
  const { signal } = controller
  const move = (event: PointerEvent) => {
    if (!drag.moved && Math.abs(event.clientY - drag.y) < DRAG_THRESHOLD_PX) return
    if (!drag.moved) {
      drag.moved = true
      drag.row.dataset.held = ''
      latest.current.list()?.append(drag.line)
      drag.frame = requestAnimationFrame(() => scrollAtEdge(latest, drag))
    }
    drag.y = event.clientY
    updateDropTarget(latest.current, drag)
  }
  const end = (drop: boolean) => {
    controller.abort()
    cancelAnimationFrame(drag.frame)
    delete drag.row.dataset.held
    drag.line.remove()
    if (!drag.moved) return
    suppressClick()
    const { layout, context, view } = latest.current
    const section = layout.sections.find(
      ({ key, lines }) => key === drag.group && lines.some(({ id }) => id === drag.id),
    )
    if (drop && drag.to && section) {
      moveTask(context, view, drag.id, dropTargetOf(section, drag.id), drag.to)
    }
  }
  addEventListener('pointermove', move, { signal })
  addEventListener('pointerup', () => end(true), { signal })
  addEventListener('pointercancel', () => end(false), { signal })
  addEventListener('dragstart', (event) => event.preventDefault(), { signal })
  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    end(false)
  }
  addEventListener('keydown', cancelOnEscape, { signal, capture: true })
}

/** Shows where the row would be dropped: between two rows, or in a group as a whole. */
function updateDropTarget({ layout, list, measures, view }: RowDragOptions, drag: RowDrag): void {
  const box = list()?.getBoundingClientRect()
  if (!box) return
  const offset = drag.y - box.top
  const index = Math.max(0, Math.min(layout.size - 1, measures.indexAt(offset)))
  const item = layout.itemAt(index)
  if (!item) return
  const [start, end] = [measures.startOf(index), measures.startOf(index + 1)]
  const after = offset > (start + end) / 2
  const { section } = item
  let top = after ? end : start
  if (item.kind === 'task') {
    drag.to = { key: section.key, beside: { id: item.line.id, after } }
  } else {
    const edge = item.kind === 'head' ? section.lines[0] : section.lines.at(-1)
    drag.to = {
      key: section.key,
      beside: edge && { id: edge.id, after: item.kind === 'add' },
    }
    top = end
  }
  if (drag.to.beside?.id === drag.id) drag.to = undefined
  // In another order than that by hand, rows can only be dropped into another group.
  if (view.sort !== 'position' && drag.to) drag.to = { key: section.key }
  drag.line.style.transform = `translateY(${top}px)`
  drag.line.hidden = drag.to === undefined
}

function scrollAtEdge(latest: { current: RowDragOptions }, drag: RowDrag): void {
  const scroll = latest.current.scroll()
  const box = scroll?.getBoundingClientRect()
  if (scroll && box) {
    const by =
      drag.y < box.top + SCROLL_EDGE_PX
        ? -SCROLL_STEP_PX
        : drag.y > box.bottom - SCROLL_EDGE_PX
          ? SCROLL_STEP_PX
          : 0
    if (by !== 0) {
      scroll.scrollBy(0, by)
      updateDropTarget(latest.current, drag)
    }
  }
  drag.frame = requestAnimationFrame(() => scrollAtEdge(latest, drag))
}

function createDropLine(): HTMLElement {
  const line = document.createElement('div')
  line.className = 'drop-line'
  return line
}
