import { type RefObject, useCallback } from 'react'
import { startTimer, stopTimer, useTimer } from '../../../data/resources/timer.ts'
import { useBoot, useViewerId } from '../../../data/session/boot.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { type Shortcut, useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { useOpenTask } from '../open-task-context.ts'
import { changeAssignees } from '../properties/assignees-property.tsx'
import { toggleTaskCompleted } from '../properties/task-status.tsx'
import { useBlockReasons } from '../use-block-reasons.ts'
import { copyTaskId, copyTaskLink } from './copy-task.ts'
import { getSibling } from './get-sibling.ts'
import { pressControl } from './press-control.ts'
import { useDeleteOpenTask } from './use-delete-open-task.ts'

/**
 * Registers the shortcuts of the open task. Beside a list they apply while the focus is in the task
 * or nowhere; while it is in the list, the shortcuts of the list apply.
 */
export function useTaskShortcuts(
  frame: RefObject<HTMLElement | null>,
  siblings: readonly string[],
): void {
  const boot = useBoot('members', 'former')
  const openTask = useOpenTask()
  const { task, project, page, showTask, leave } = openTask
  const blockReasons = useBlockReasons()
  const runningTimer = useTimer()
  const deleteTask = useDeleteOpenTask(siblings)
  const me = useViewerId()
  const isActive = useCallback(() => page || hasTaskFocus(frame.current), [page, frame])
  const canWrite = () => isActive() && blockReasons.write === undefined
  const step = (direction: -1 | 1) => () => {
    const other = getSibling(siblings, task.short_id, direction)
    if (other) showTask(other)
  }
  const shortcut = (keys: string, label: string, run: () => void, when = canWrite): Shortcut => ({
    keys,
    label,
    run,
    when,
  })
  const pressLater = (control: string) => () => pressControl(control)
  useShortcuts('panel', taskDetailMessages.keys, [
    shortcut('mod+enter', projectViewMessages.complete, () => toggleTaskCompleted(task, project)),
    shortcut('e', projectViewMessages.editTitle, pressLater('title')),
    shortcut('shift+e', taskDetailMessages.editDescription, pressLater('description')),
    shortcut('s', taskDetailMessages.status, pressLater('status')),
    shortcut('p', taskDetailMessages.priority, pressLater('priority')),
    shortcut('a', taskDetailMessages.people, pressLater('people')),
    shortcut('l', taskDetailMessages.tags, pressLater('tags')),
    shortcut('d', taskDetailMessages.due, pressLater('due')),
    shortcut('i', projectViewMessages.assignMe, () =>
      task.assignee_ids.includes(me)
        ? changeAssignees(boot, task, [], [me])
        : changeAssignees(boot, task, [me], []),
    ),
    shortcut('shift+s', taskDetailMessages.startTimer, () =>
      runningTimer?.task.id === task.id ? stopTimer() : startTimer(task),
    ),
    shortcut('shift+c', taskDetailMessages.addSubtask, pressLater('subtask')),
    shortcut('m', taskDetailMessages.comment, pressLater('comment')),
    shortcut(
      'y',
      taskDetailMessages.copyLink(task.short_id),
      () => void copyTaskLink(task),
      isActive,
    ),
    shortcut('shift+y', projectViewMessages.copyId, () => void copyTaskId(task), isActive),
    // Many keyboards have brackets only with Option or AltGr, but all have a comma and a full stop.
    shortcut('[|,', projectViewMessages.previous, step(-1), () => siblings.length > 0),
    shortcut(']|.', projectViewMessages.next, step(1), () => siblings.length > 0),
    shortcut(
      '#',
      taskDetailMessages.remove,
      deleteTask,
      () => isActive() && blockReasons.remove === undefined,
    ),
    // In the list, Escape clears the selection first and only closes from the opened row.
    shortcut(
      'escape',
      taskDetailMessages.close,
      () => leave(),
      () => !page && (isActive() || isOnOpenerRow()),
    ),
  ])
}

/** Whether the focus is in the task, or at least not in the list beside it. */
function hasTaskFocus(frame: HTMLElement | null): boolean {
  const focused = document.activeElement
  if (!focused || focused === document.body) return true
  return frame?.contains(focused) === true || !document.querySelector('main')?.contains(focused)
}

/** Whether the focus is on the row that opened a task, in a list without a selection. */
const isOnOpenerRow = (): boolean =>
  document.activeElement?.closest('[data-open]') != null &&
  document.querySelector('main [aria-selected="true"]') === null
