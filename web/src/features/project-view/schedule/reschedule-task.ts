import type { Task, TaskPatch } from '../../../data/tasks/task-patch.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import type { PlainDate } from '../../../lib/dates/plain-date.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import type { MenuItem } from '../../../ui/overlays/menu-button.tsx'
import { openDatePicker } from '../../../ui/overlays/picker-button.tsx'
import { describeTargets, runCommand } from '../commands/run-command.tsx'
import type { ProjectPageContext } from '../project-page-context.ts'
import { moveDueDate } from './move-due-date.ts'
import { clampSpan, type SpanShift, shiftSpan } from './shift-span.ts'
import { type DateSpan, formatSpan } from './task-spans.ts'

/** Shifts the dates of a task, with undo, and announces the new dates. */
export function rescheduleTask(context: ProjectPageContext, id: string, by: SpanShift): void {
  const task = getCachedTask(id)
  if (task) setTaskSpan(context, id, shiftSpan(getTaskSpan(task), by))
}

/**
 * Sets the dates of a task, with undo, and announces them. The task can be passed as it was when a
 * picker opened, so that a change of others since then is not overwritten unasked.
 */
function setTaskSpan(context: ProjectPageContext, id: string, span: DateSpan, from?: Task): void {
  const task = getCachedTask(id)
  if (!task || context.locked !== undefined) return
  const patch = toDatePatch(task, span, context.boot.session.workspace.timezone)
  if (Object.keys(patch).length === 0) return
  const text =
    span.start || span.due
      ? viewMessages.moved(task.short_id, formatSpan(span))
      : viewMessages.unplanned(task.short_id)
  const changeIn = () => ({ kind: 'patch', patch }) as const
  runCommand(context, [id], { label: () => text, changeIn }, from)
  announce(text)
}

/** Sets one of the dates of a task to the picked one. `from` is the task when the picker opened. */
export function setPickedDate(
  context: ProjectPageContext,
  from: Task,
  end: 'start' | 'due',
  date: PlainDate | null,
): void {
  const { id } = from
  // Read again, so that the other date stays as somebody else may have set it meanwhile.
  const span = getTaskSpan(getCachedTask(id) ?? from)
  setTaskSpan(context, id, clampSpan({ ...span, [end]: date }, end), from)
}

const getTaskSpan = ({ start_date, due_date }: Task): DateSpan => ({
  start: start_date,
  due: due_date,
})

const toDatePatch = (task: Task, { start, due }: DateSpan, timezone: string): TaskPatch => ({
  ...(start !== task.start_date && { start_date: start }),
  ...(due !== task.due_date && moveDueDate(task, due, timezone)),
})

/**
 * Menu items for everything that dragging does. With `ends`, start and due date can be moved
 * separately.
 */
export function buildDatesMenu(
  context: ProjectPageContext,
  id: string,
  anchor: () => Element | null,
  ends = true,
): MenuItem[] {
  const task = getCachedTask(id)
  if (!task) return []
  const { locked: reason } = context
  const span = getTaskSpan(task)
  const hasDates = span.start !== null || span.due !== null
  const shiftItem = (id: string, label: string, step: SpanShift): MenuItem => ({
    id,
    label,
    reason,
    run: () => rescheduleTask(context, task.id, step),
  })
  const pickItem = (
    id: 'start' | 'due',
    label: string,
    title: (what: string) => string,
  ): MenuItem => ({
    id,
    label,
    reason,
    icon: 'day',
    run: () => {
      const element = anchor()
      if (!element) return
      openDatePicker({
        anchor: element,
        label: title(describeTargets([task.id])),
        date: span[id],
        onPick: ({ date }) => setPickedDate(context, task, id, date),
      })
    },
  })
  const shiftBoth = (days: number) => ({ start: days, due: days })
  return [
    ...(ends ? [pickItem('start', viewMessages.setStart, viewMessages.startOf)] : []),
    pickItem('due', viewMessages.setDue, viewMessages.dueOf),
    ...(hasDates
      ? [
          shiftItem('sooner', viewMessages.sooner, shiftBoth(-1)),
          shiftItem('further', viewMessages.further, shiftBoth(1)),
          shiftItem('week-sooner', viewMessages.weekSooner, shiftBoth(-7)),
          shiftItem('week-further', viewMessages.weekFurther, shiftBoth(7)),
        ]
      : []),
    ...(hasDates && ends
      ? [
          shiftItem('start-sooner', viewMessages.startSooner, { start: -1 }),
          shiftItem('start-further', viewMessages.startFurther, { start: 1 }),
          shiftItem('due-sooner', viewMessages.dueSooner, { due: -1 }),
          shiftItem('due-further', viewMessages.dueFurther, { due: 1 }),
        ]
      : []),
    ...(hasDates
      ? [
          {
            id: 'clear',
            label: viewMessages.clear,
            reason,
            icon: 'x',
            run: () => setTaskSpan(context, id, NO_DATES),
          } as const,
        ]
      : []),
  ]
}

const NO_DATES: DateSpan = { start: null, due: null }
