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

/** Registers the shortcuts of the open task, also of one in the panel beside a list. */
export function useTaskShortcuts(siblings: readonly string[]): void {
  const boot = useBoot('members', 'former')
  const openTask = useOpenTask()
  const { task, project, page, showTask, leave } = openTask
  const blockReasons = useBlockReasons()
  const runningTimer = useTimer()
  const deleteTask = useDeleteOpenTask(siblings)
  const me = useViewerId()
  const canWrite = () => blockReasons.write === undefined
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
    ...PROPERTIES_WITHOUT_KEYS.map(([id, control, label]) => ({
      ...shortcut('', label, pressLater(control)),
      id,
    })),
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
      isAlways,
    ),
    shortcut('shift+y', projectViewMessages.copyId, () => void copyTaskId(task), isAlways),
    // Many keyboards have brackets only with Option or AltGr, but all have a comma and a full stop.
    shortcut('k|[|,', projectViewMessages.previous, step(-1), () => siblings.length > 0),
    shortcut('j|]|.', projectViewMessages.next, step(1), () => siblings.length > 0),
    shortcut('#', taskDetailMessages.remove, deleteTask, () => blockReasons.remove === undefined),
    shortcut(
      'escape',
      taskDetailMessages.close,
      () => leave(),
      () => !page,
    ),
  ])
}

/** The properties that only the palette reaches: their id, and the control that it presses. */
const PROPERTIES_WITHOUT_KEYS = [
  ['start', 'start', taskDetailMessages.start],
  ['estimate', 'estimate', projectViewMessages.properties.estimate],
  ['repeat', 'recurrence', taskDetailMessages.repeats],
  ['project', 'project', projectViewMessages.moveToProject],
  ['parent', 'parent', taskDetailMessages.parent],
  ['blockers', 'blockers', taskDetailMessages.blockedBy],
] as const

const isAlways = () => true
