import { showToast } from '../../../data/app/toasts.ts'
import { startTimer, stopTimer, useTimer } from '../../../data/resources/timer.ts'
import { getCachedTask, isTempId } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { copyText } from '../../../ui/form/copy-button.tsx'
import { type Shortcut, useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { useContextMenu } from '../commands/context-menu.ts'
import { resolveTargets, runCommand } from '../commands/run-command.tsx'
import * as commands from '../commands/task-commands.ts'
import type { FoundTasks } from '../grouping/use-found-tasks.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import { openFieldPicker, type PickerField, withDeferred } from '../lazy/with-deferred.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import { VIEW_KINDS, type ViewControls } from '../project-view.ts'
import { getDefaultGroup, getNewTaskTarget } from '../quick-add/new-task-target.ts'
import type { NewTaskTarget, QuickAddState } from '../quick-add/quick-add-context.ts'
import { findCursorIndex, releaseFocus } from '../selection/cursor-focus.ts'

interface ListKeysOptions extends ViewControls {
  context: ProjectPageContext
  layout: ListLayout
  adding: QuickAddState
  /** A task that was found by a comment opens at it. */
  found?: FoundTasks
  /** Short id of the task that is open in the panel beside the list. */
  open: string | undefined
}

/** Keyboard shortcuts of the list (docs/spec/web.md#keyboard). */
export function useListKeys(options: ListKeysOptions): void {
  const running = useTimer()
  const { context, layout, adding, found, view, setView, open } = options
  const { selection } = context
  // A key must not change a task that cannot be seen, such as one of a folded group.
  const cursor = () =>
    layout.indexOf(selection.cursor ?? '') === undefined ? undefined : selection.cursor
  const hasCursor = () => cursor() !== undefined
  const hasTarget = () => hasCursor() || selection.selected.size > 0
  const cursorTask = () => getCachedTask(cursor() ?? '')
  const moveCursor = (by: -1 | 1) => {
    const next = neighborOf(selection.place ?? layout.order, selection.cursor, by)
    if (next === undefined) return undefined
    releaseFocus()
    selection.moveCursor(next)
    return next
  }
  const extend = (by: -1 | 1) => {
    selection.beginRange()
    const next = moveCursor(by)
    if (next !== undefined) selection.extend(layout.order, next)
  }
  /** With its task open, one looks at the panel. */
  const anchorOf = (field: PickerField) =>
    (open !== undefined && open === cursorTask()?.short_id && findInPanel(field)) ||
    findAnchor(cursor(), field)
  const openTask = (peeking: boolean) => {
    const task = cursorTask()
    if (!task || isTempId(task.id)) return
    // A preview panel does not take the focus.
    findRow(task.id)?.toggleAttribute('data-peek', peeking)
    if (open === task.short_id && !peeking) focusPanel()
    else context.open(task.short_id, found?.get(task.id)?.comment_id ?? undefined)
  }
  const defaultGroup = () => getDefaultGroup(context.statuses, view.group, layout.sections[0]?.key)
  // A task of several groups has several rows: the group is that of the row with the focus.
  const cursorIndex = () => findCursorIndex(layout, selection)
  const cursorSection = () => layout.itemAt(cursorIndex() ?? layout.size)?.section
  const currentGroup = () => cursorSection()?.key ?? defaultGroup()
  const unlessLocked = (run: () => void) => {
    if (context.locked === undefined) run()
    else showToast({ text: context.locked })
  }
  const begin = (place: NewTaskTarget) => unlessLocked(() => adding.begin(place))
  const beginInGroup = (key: string) => begin(getNewTaskTarget(view.group, key))
  const clearOrClose = () => {
    if (selection.selected.size > 0) selection.select([])
    else context.open(undefined)
  }
  const picker = (field: PickerField, keys: string, label: string): Shortcut => ({
    keys,
    id: field,
    label,
    when: hasTarget,
    run: () =>
      unlessLocked(() =>
        openFieldPicker(context, field, resolveTargets(context, cursor()), anchorOf(field)),
      ),
  })
  const { properties } = projectViewMessages
  const openCommand: Shortcut = {
    keys: 'enter',
    label: projectViewMessages.openTask,
    when: hasCursor,
    run: () => openTask(false),
  }
  const propertyCommands = [
    picker('status', 's', properties.status),
    picker('assignees', 'a', properties.assignee),
    picker('priority', 'p', properties.priority),
    picker('tags', 'l', properties.tags),
    picker('start', '', properties.start),
    picker('due', 'd', properties.due),
    picker('repeat', '', properties.repeat),
    picker('estimate', '', properties.estimate),
    picker('project', '', projectViewMessages.moveToProject),
  ]
  const actions: Shortcut[] = [
    { keys: 'mod+enter', label: projectViewMessages.complete, when: hasTarget, run: toggleDone },
    {
      keys: 'i',
      label: projectViewMessages.assignMe,
      when: hasTarget,
      run: () => assignMe(context, cursor()),
    },
    {
      keys: 'shift+s',
      label: projectViewMessages.timer,
      when: hasCursor,
      run: () => unlessLocked(toggleTimer),
    },
    {
      keys: 'shift+c',
      label: projectViewMessages.newSubtask,
      when: hasCursor,
      run: () => begin({ group: currentGroup(), parent: cursorTask() }),
    },
    {
      keys: 'e|f2',
      label: projectViewMessages.editTitle,
      // The calendar has no room for a field.
      when: () => hasCursor() && view.kind !== 'calendar',
      run: () => unlessLocked(() => selection.edit(cursor())),
    },
    {
      keys: 'y',
      label: projectViewMessages.copyLink,
      when: hasCursor,
      run: () => copy((id) => location.origin + context.taskHref(id)),
    },
    {
      keys: 'shift+y',
      label: projectViewMessages.copyId,
      when: hasCursor,
      run: () => copy((id) => id),
    },
  ]
  const removal = { keys: '#', label: projectViewMessages.delete, when: hasTarget, run: remove }
  const openMenu = useContextMenu(context, [[openCommand], propertyCommands, actions, [removal]])
  const shortcuts: Shortcut[] = [
    {
      keys: 'j|arrowdown',
      label: projectViewMessages.next,
      repeats: true,
      run: () => moveCursor(1),
    },
    {
      keys: 'k|arrowup',
      label: projectViewMessages.previous,
      repeats: true,
      run: () => moveCursor(-1),
    },
    openCommand,
    { keys: 'space', label: projectViewMessages.peek, when: hasCursor, run: () => openTask(true) },
    {
      keys: 'shift+f10|contextmenu',
      label: projectViewMessages.taskMenu,
      when: hasCursor,
      run: () => openMenu(findRow(cursor())),
    },
    {
      keys: 'x',
      label: projectViewMessages.selectKey,
      when: hasCursor,
      run: () => selection.toggle(cursor() ?? ''),
    },
    {
      keys: 'shift+j|shift+arrowdown',
      label: projectViewMessages.extendDown,
      repeats: true,
      run: () => extend(1),
    },
    {
      keys: 'shift+k|shift+arrowup',
      label: projectViewMessages.extendUp,
      repeats: true,
      run: () => extend(-1),
    },
    {
      keys: 'mod+a',
      label: projectViewMessages.allInGroup,
      run: selectGroup,
    },
    {
      keys: 'escape',
      label: projectViewMessages.escape,
      when: () => selection.selected.size > 0 || open !== undefined,
      run: clearOrClose,
    },
    {
      keys: 'alt+arrowup',
      label: projectViewMessages.moveUp,
      when: hasCursor,
      repeats: true,
      run: () => move(-1),
    },
    {
      keys: 'alt+arrowdown',
      label: projectViewMessages.moveDown,
      when: hasCursor,
      repeats: true,
      run: () => move(1),
    },
    ...propertyCommands,
    ...actions,
    removal,
  ]
  useShortcuts('list', projectViewMessages.keysList, shortcuts.map(toVisibleCommand))
  useShortcuts('screen', context.title, [
    { keys: 'n', label: projectViewMessages.newInGroup, run: () => beginInGroup(currentGroup()) },
    // My work is always a list.
    ...(context.page === 'mine' ? [] : VIEW_KINDS).map((kind, index) => ({
      keys: `${index + 1}`,
      label: projectViewMessages[kind],
      run: () => setView({ kind }),
    })),
  ])
  /** Scrolls to the row before a key changes its task, which a change of the group may have moved away. */
  function toVisibleCommand(shortcut: Shortcut): Shortcut {
    if (shortcut.when !== hasCursor && shortcut.when !== hasTarget) return shortcut
    const run = () => {
      findRow(cursor())?.scrollIntoView({ block: 'nearest' })
      shortcut.run()
    }
    return { ...shortcut, run }
  }

  function selectGroup(): void {
    const section = cursorSection() ?? layout.sections[0]
    // Keys change only tasks in sight.
    if (section && !section.folded) selection.select(section.lines.map(({ id }) => id))
  }

  function move(by: -1 | 1): void {
    const index = cursorIndex()
    if (index !== undefined)
      withDeferred(({ moveTaskBy }) => moveTaskBy(context, view, layout, index, by))
  }

  function toggleTimer(): void {
    const task = cursorTask()
    if (!task) return
    if (running?.task.id === task.id) stopTimer()
    else startTimer(task)
  }

  function toggleDone(): void {
    const task = cursorTask()
    const command = task && commands.toggleCompleted(context, task)
    if (command) runCommand(context, resolveTargets(context, cursor()), command)
  }

  function remove(): void {
    runCommand(context, resolveTargets(context, cursor()), commands.deleteTasks(context))
  }

  function copy(format: (short_id: string) => string): void {
    const task = cursorTask()
    if (task && !isTempId(task.id)) void copyText(format(task.short_id))
  }
}

/** Assigns the current user, or unassigns them if they are assigned to all of the tasks. */
function assignMe(context: ProjectPageContext, id: string | undefined): void {
  const ids = resolveTargets(context, id)
  const { me } = context
  const isAssignedToAll = ids.every((one) => getCachedTask(one)?.assignee_ids.includes(me))
  runCommand(
    context,
    ids,
    isAssignedToAll ? commands.setAssignees([], [me]) : commands.setAssignees([me], []),
  )
}

function neighborOf(order: readonly string[], cursor: string | undefined, by: -1 | 1) {
  const index = cursor === undefined ? -1 : order.indexOf(cursor)
  if (index < 0) return by > 0 ? order[0] : order.at(-1)
  return order[index + by]
}

const findRow = (id: string | undefined) =>
  document.querySelector<HTMLElement>(`[data-task="${id}"]`)

const focusPanel = () =>
  document.querySelector<HTMLElement>('.panel [data-heading]')?.focus({ preventScroll: true })

function findInPanel(field: PickerField): Element | undefined {
  const does = field === 'assignees' ? 'people' : field
  const control = document.querySelector(`.panel [data-does="${does}"]`)
  return control?.checkVisibility() ? control : undefined
}

/** The cell to which a picker is attached, else the row, else the page. */
function findAnchor(id: string | undefined, field: PickerField): Element {
  const row = findRow(id)
  return (
    row?.querySelector(`[data-field="${field}"]`) ??
    row?.querySelector('.st') ??
    row ??
    document.body
  )
}
