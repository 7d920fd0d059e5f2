import { useBoot } from '../../data/session/boot.ts'
import { getCachedTask } from '../../data/tasks/task-store.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { isOutsidePanel } from '../../ui/keyboard/is-outside-panel.ts'
import { type Shortcut, useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import type { PickerField } from '../project-view/index.ts'
import {
  completeAcrossProjects,
  deleteAcrossProjects,
  openCrossProjectPicker,
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
  const hasTargets = () =>
    isOutsidePanel() && (selection.ids.get().size > 0 || focusedId() !== undefined)
  const getTargets = () => {
    const ids = selection.ids.get()
    const focused = focusedId()
    const all = focused !== undefined && !ids.has(focused) ? [focused] : [...ids]
    return all.flatMap((id) => getCachedTask(id) ?? [])
  }
  const extend = (by: 1 | -1) => {
    const from = focusedId()
    const next = rowFocus.move(by)
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
      when: isOutsidePanel,
      repeats: true,
    },
    {
      keys: 'k',
      label: projectViewMessages.previous,
      run: () => rowFocus.move(-1),
      when: isOutsidePanel,
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
      when: isOutsidePanel,
      run: () => selection.set(order),
    },
    {
      keys: 'escape',
      label: bulkChangeMessages.clear,
      when: () => isOutsidePanel() && selection.ids.get().size > 0,
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
  useShortcuts('screen', projectViewMessages.keysList, shortcuts)
}
