import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { getRunningTimer, startTimer, stopTimer } from '../../data/resources/timer.ts'
import { useBoot } from '../../data/session/boot.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { getTaskPath, NEW_SUBTASK_HASH } from '../../data/tasks/task-path.ts'
import { getCachedTask } from '../../data/tasks/task-store.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { copyText } from '../../ui/form/copy-button.tsx'
import { type Shortcut, useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { type PickerField, taskCommands } from '../project-view/index.ts'
import {
  changeAcrossProjects,
  completeAcrossProjects,
  deleteAcrossProjects,
  openCrossProjectPicker,
  runUnlessLocked,
} from './cross-project-commands.ts'
import type { CrossProjectSelection } from './cross-project-selection.ts'
import type { RowFocus } from './use-row-focus.ts'

/**
 * Shortcuts of a list of tasks from several projects. J and K move the focus, X selects. Commands
 * apply to the selection, or to the focused task if it is not selected. The side panel has its own
 * shortcuts.
 */
export function useCrossProjectShortcuts(
  rowFocus: RowFocus,
  { selection, order }: { selection: CrossProjectSelection; order: readonly string[] },
): void {
  const boot = useBoot('session', 'projects', 'members', 'former')
  const focusedId = rowFocus.getId
  const isInList = () => focusedId() !== undefined
  const hasTargets = () => selection.ids.get().size > 0 || focusedId() !== undefined
  const getTargets = () => {
    const ids = selection.ids.get()
    const focused = focusedId()
    const all = focused !== undefined && !ids.has(focused) ? [focused] : [...ids]
    return all.flatMap((id) => getCachedTask(id) ?? [])
  }
  const findTitleLink = () => rowFocus.getRow()?.querySelector<HTMLElement>('a.title')
  const navigate = useNavigate()
  const openShortId = useSearch({ strict: false, select: ({ task }) => task })
  const getFocusedTask = () => getCachedTask(focusedId() ?? '')
  const extend = (by: 1 | -1) => {
    const from = focusedId()
    // A range has what is seen between two rows.
    const next = rowFocus.move(by, order)
    if (next) selection.extend(order, from ?? next, next)
  }
  const openPickerFor = (field: PickerField) => () => {
    const anchor = rowFocus.getRow() ?? document.querySelector('.head-bar.bulk')
    const tasks = getTargets()
    if (anchor) openCrossProjectPicker(boot, tasks, field, anchor)
  }
  const shortcuts: Shortcut[] = [
    {
      keys: 'j',
      label: projectViewMessages.next,
      run: () => rowFocus.move(1),
      repeats: true,
    },
    {
      keys: 'k',
      label: projectViewMessages.previous,
      run: () => rowFocus.move(-1),
      repeats: true,
    },
    ...[1, -1].map((by) => ({
      keys: by > 0 ? 'arrowdown' : 'arrowup',
      label: by > 0 ? projectViewMessages.next : projectViewMessages.previous,
      run: () => rowFocus.move(by > 0 ? 1 : -1),
      when: rowFocus.hasPosition,
      repeats: true,
      hidden: true,
    })),
    {
      keys: 'home',
      label: myWorkMessages.toFirst,
      when: isInList,
      run: () => rowFocus.focusRow(order[0]),
    },
    {
      keys: 'end',
      label: myWorkMessages.toLast,
      when: isInList,
      run: () => rowFocus.focusRow(order.at(-1)),
    },
    {
      keys: 'enter',
      label: projectViewMessages.openTask,
      when: isInList,
      run: () => findTitleLink()?.click(),
    },
    {
      keys: 'x',
      label: projectViewMessages.selectKey,
      when: isInList,
      run: () => selection.toggle(focusedId() ?? ''),
    },
    {
      keys: 'shift+j|shift+arrowdown',
      label: projectViewMessages.extendDown,
      when: isInList,
      repeats: true,
      run: () => extend(1),
    },
    {
      keys: 'shift+k|shift+arrowup',
      label: projectViewMessages.extendUp,
      when: isInList,
      repeats: true,
      run: () => extend(-1),
    },
    {
      keys: 'mod+a',
      label: myWorkMessages.selectEvery,
      run: () => selection.set(order),
    },
    {
      keys: 'escape',
      label: bulkChangeMessages.clear,
      when: () => selection.ids.get().size > 0,
      run: () => selection.set([]),
    },
    {
      keys: 's',
      label: projectViewMessages.properties.status,
      when: hasTargets,
      run: openPickerFor('status'),
    },
    {
      keys: 'p',
      label: projectViewMessages.properties.priority,
      when: hasTargets,
      run: openPickerFor('priority'),
    },
    {
      keys: 'a',
      label: projectViewMessages.properties.assignee,
      when: hasTargets,
      run: openPickerFor('assignees'),
    },
    {
      keys: 'l',
      label: projectViewMessages.properties.tags,
      when: hasTargets,
      run: openPickerFor('tags'),
    },
    {
      keys: 'd',
      label: projectViewMessages.properties.due,
      when: hasTargets,
      run: openPickerFor('due'),
    },
    { keys: 'i', label: projectViewMessages.assignMe, when: hasTargets, run: assignMe },
    {
      keys: 'shift+c',
      label: projectViewMessages.newSubtask,
      // Beside an open task, the key is that of its panel.
      when: () => isInList() && openShortId === undefined,
      run: beginSubtask,
    },
    {
      keys: 'e|f2',
      label: projectViewMessages.editTitle,
      when: isInList,
      run: () => selection.editedId.set(getFocusedTask()?.id),
    },
    {
      keys: 'space',
      label: projectViewMessages.peek,
      when: isInList,
      run: () => {
        const link = findTitleLink()
        // A preview panel does not take the focus.
        link?.toggleAttribute('data-peek', true)
        link?.click()
      },
    },
    { keys: 'shift+s', label: projectViewMessages.timer, when: isInList, run: toggleTimer },
    { keys: 'y', label: projectViewMessages.copyLink, when: isInList, run: copyLink },
    {
      keys: 'shift+y',
      label: projectViewMessages.copyId,
      when: isInList,
      run: () => copy(({ short_id }) => short_id),
    },
    {
      keys: 'mod+enter',
      label: projectViewMessages.complete,
      when: hasTargets,
      run: () => {
        const tasks = getTargets()
        completeAcrossProjects(boot, tasks)
      },
    },
    {
      keys: '#',
      label: projectViewMessages.delete,
      when: hasTargets,
      run: () => {
        const tasks = getTargets()
        deleteAcrossProjects(boot, tasks, () => {
          selection.set([])
          rowFocus.leave(tasks.map(({ id }) => id))
        })
      },
    },
  ]
  useShortcuts('list', projectViewMessages.keysList, shortcuts.map(toVisibleCommand))
  const edited = useAtom(selection.editedId)
  const lastEdited = useRef(edited)
  useEffect(() => {
    const { current } = lastEdited
    if (current !== undefined && edited === undefined) rowFocus.restoreFocus()
    lastEdited.current = edited
  }, [edited, rowFocus])

  /** Scrolls to the row before a key changes its task, which a change of the date may have moved away. */
  function toVisibleCommand(shortcut: Shortcut): Shortcut {
    const run = () => {
      findTitleLink()?.closest('.row')?.scrollIntoView({ block: 'nearest' })
      shortcut.run()
    }
    const isForTask = shortcut.when === isInList || shortcut.when === hasTargets
    return isForTask ? { ...shortcut, run } : shortcut
  }

  function assignMe(): void {
    const tasks = getTargets()
    const me = boot.session.user.id
    const isAssignedToAll = tasks.every(({ assignee_ids }) => assignee_ids.includes(me))
    const command = isAssignedToAll
      ? taskCommands.setAssignees([], [me])
      : taskCommands.setAssignees([me], [])
    changeAcrossProjects(boot, tasks, command)
  }

  /** Opens the task with the line for a new subtask, which takes the focus. */
  function beginSubtask(): void {
    const task = getFocusedTask()
    if (!task) return
    const search = (current: object) => ({ ...current, task: task.short_id })
    const open = () => void navigate({ to: '.', search, hash: NEW_SUBTASK_HASH })
    runUnlessLocked(boot, [task], open)
  }

  function toggleTimer(): void {
    const task = getFocusedTask()
    if (!task) return
    if (getRunningTimer()?.task.id === task.id) stopTimer()
    else runUnlessLocked(boot, [task], () => startTimer(task))
  }

  function copyLink(): void {
    copy(({ short_id }) => location.origin + getTaskPath(boot.session.workspace.id, short_id))
  }

  function copy(format: (task: Task) => string): void {
    const task = getFocusedTask()
    if (task) void copyText(format(task))
  }
}
