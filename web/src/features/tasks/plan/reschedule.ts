import type { Task, TaskPatch } from '../../../data/task-view.ts'
import { addDays, dayOf, daysBetween } from '../../../lib/day.ts'
import { instantOf, wallTimeOf } from '../../../lib/zoned.ts'
import { m } from '../../../messages/views.ts'
import { announce } from '../../../ui/announce.ts'
import type { MenuItem } from '../../../ui/menu.tsx'
import { openDate } from '../../../ui/pick.tsx'
import { act, taskAt, whatOf } from '../act.tsx'
import type { Screen } from '../screen.ts'
import { type Move, movedSpan, settled } from './moved-span.ts'
import { type Span, wordsOf } from './spans.ts'

/** Moves a task, one of its ends or both; with undo. Tells what it became. */
export function move(screen: Screen, number: number, by: Move): void {
  const task = taskAt(screen, number)
  if (task) setSpan(screen, number, movedSpan(spanOf(task), by))
}

/** Gives a task its days; with undo. */
export function setSpan(screen: Screen, number: number, span: Span): void {
  const task = taskAt(screen, number)
  if (!task || screen.locked !== undefined) return
  const patch = patchTo(task, span)
  if (Object.keys(patch).length === 0) return
  const told =
    span.start || span.due ? m.moved(task.short_id, wordsOf(span)) : m.unplanned(task.short_id)
  act(screen, [number], { label: () => told, meant: () => ({ kind: 'patch', patch }) })
  announce(told)
}

export const spanOf = ({ start_date, due_date }: Task): Span => ({
  start: start_date,
  due: due_date,
})

/** A task that is due at a time stays due at that time of another day. */
function patchTo({ start_date, due_date, due_at }: Task, { start, due }: Span): TaskPatch {
  const patch: TaskPatch = start === start_date ? {} : { start_date: start }
  if (due === due_date) return patch
  if (due_at === null || due === null || due_date === null) return { ...patch, due_date: due }
  const day = addDays(dayOf(due_at), daysBetween(due_date, due))
  return { ...patch, due_date: due, due_at: instantOf(day, wallTimeOf(due_at)) }
}

/** All that drawing does, to be chosen. `ends`: also each end for itself. */
export function datesMenu(
  screen: Screen,
  number: number,
  anchor: () => Element | null,
  ends = true,
): MenuItem[] {
  const task = taskAt(screen, number)
  if (!task) return []
  const { locked: reason } = screen
  const span = spanOf(task)
  const planned = span.start !== null || span.due !== null
  const by = (id: string, label: string, step: Move): MenuItem => ({
    ...{ id, label, reason, run: () => move(screen, number, step) },
  })
  const pick = (id: 'start' | 'due', label: string, title: (what: string) => string): MenuItem => ({
    ...{ id, label, reason, icon: 'day' },
    run: () => {
      const at = anchor()
      if (!at) return
      openDate({
        ...{ anchor: at, label: title(whatOf(screen, [number])), date: span[id] },
        onPick: ({ date }) => setSpan(screen, number, settled({ ...span, [id]: date }, id)),
      })
    },
  })
  const both = (days: number) => ({ start: days, due: days })
  return [
    ...(ends ? [pick('start', m.setStart, m.startOf)] : []),
    pick('due', m.setDue, m.dueOf),
    ...(planned
      ? [
          by('sooner', m.sooner, both(-1)),
          by('further', m.further, both(1)),
          by('week-sooner', m.weekSooner, both(-7)),
          by('week-further', m.weekFurther, both(7)),
        ]
      : []),
    ...(planned && ends
      ? [
          by('start-sooner', m.startSooner, { start: -1 }),
          by('start-further', m.startFurther, { start: 1 }),
          by('due-sooner', m.dueSooner, { due: -1 }),
          by('due-further', m.dueFurther, { due: 1 }),
        ]
      : []),
    ...(planned
      ? [
          {
            id: 'clear',
            label: m.clear,
            reason,
            icon: 'x',
            run: () => setSpan(screen, number, NONE),
          } as const,
        ]
      : []),
  ]
}

const NONE: Span = { start: null, due: null }
