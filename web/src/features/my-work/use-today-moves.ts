import { type PointerEvent, useRef } from 'react'
import { getCachedTask } from '../../data/tasks/task-store.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { announce } from '../../ui/feedback/announce.ts'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { trackPointerDrag } from '../../ui/pointer/pointer-drag.ts'
import { type CrossProjectBoot, moveToToday } from './cross-project-commands.ts'
import { moveBefore, setTodayOrder } from './today-order.ts'
import type { RowFocus } from './use-row-focus.ts'

/**
 * Lets the person plan the day: order today's tasks by keys, and drag rows to a place among them, at
 * the number or an empty part. A task that is due on another day is due today then. Returns what
 * begins a drag.
 */
export function useTodayMoves(boot: CrossProjectBoot, ids: readonly string[], rowFocus: RowFocus) {
  const latest = useRef(ids)
  latest.current = ids
  const day = useToday()
  const place = (id: string, before: string | undefined) => {
    const task = getCachedTask(id)
    if (!task) return
    rowFocus.moveByHand()
    const order = moveBefore(latest.current, id, before)
    setTodayOrder(boot.session.workspace.id, order)
    if (latest.current.includes(id))
      announce(myWorkMessages.placed(task.short_id, order.indexOf(id) + 1, order.length))
    else moveToToday(boot, [task], day)
  }
  const moveBy = (by: 1 | -1) => () => {
    const id = rowFocus.getId() ?? ''
    const target = latest.current.indexOf(id) + by
    if (target < 0 || target >= latest.current.length) return
    place(id, latest.current[by > 0 ? target + 1 : target])
  }
  const isInToday = () => latest.current.includes(rowFocus.getId() ?? '')
  const keys = { when: isInToday, repeats: true }
  useShortcuts('list', projectViewMessages.keysList, [
    { keys: 'alt+arrowup', label: projectViewMessages.moveUp, run: moveBy(-1), ...keys },
    { keys: 'alt+arrowdown', label: projectViewMessages.moveDown, run: moveBy(1), ...keys },
  ])
  return (event: PointerEvent) => {
    const target = event.target instanceof Element ? event.target : undefined
    const row = target?.closest<HTMLElement>('[data-row]')
    const id = row?.dataset.row
    if (!row || id === undefined || target?.closest('input, button, .title')) return
    let over: HTMLElement | undefined
    trackPointerDrag(event, {
      move(_, { x, y }) {
        row.dataset.held = ''
        over?.removeAttribute('data-drop')
        over = findTargetAt(x, y)
        if (over && over !== row) over.dataset.drop = isLowerHalf(over, y) ? 'after' : 'before'
      },
      end(isDropped) {
        delete row.dataset.held
        const { drop, row: beside = latest.current[0] } = over?.dataset ?? {}
        over?.removeAttribute('data-drop')
        if (!isDropped || drop === undefined) return
        const next = latest.current[latest.current.indexOf(beside ?? '') + 1]
        // Beside the head or the empty line, it comes first.
        place(id, drop === 'before' || over?.dataset.row === undefined ? beside : next)
      },
    })
  }
}

/** What of today's section is at a point: a row, its head, or what stands for rows. */
function findTargetAt(x: number, y: number): HTMLElement | undefined {
  const target = document.elementFromPoint(x, y)
  if (!target?.closest('[data-section="today"]')) return undefined
  return target.closest<HTMLElement>('[data-row], .group, .line') ?? undefined
}

function isLowerHalf(row: HTMLElement, y: number): boolean {
  const { top, height } = row.getBoundingClientRect()
  return y > top + height / 2
}
