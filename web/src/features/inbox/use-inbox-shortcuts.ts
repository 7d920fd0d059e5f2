import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { openOverlay } from '../../ui/overlays/overlay-stack.ts'
import { markGroupDone, markGroupRead } from './mark-notifications.ts'
import { getSubjectName, type NotificationGroup } from './notification-groups.ts'
import { createSnoozeMenu, type LeaveRow } from './snooze-menu.ts'
import type { RowFocus } from './use-row-focus.ts'

/** Shortcuts of the inbox: J and K move, E marks done, H snoozes, U marks read or unread. */
export function useInboxShortcuts(
  rowFocus: RowFocus,
  groups: readonly NotificationGroup[],
  isDone: boolean,
  leaveRow: LeaveRow,
): void {
  const focusedGroup = () => groups.find(({ subjectId }) => subjectId === rowFocus.getId())
  const toggleDone = (group: NotificationGroup) => {
    leaveRow(group)
    markGroupDone(group, !isDone)
  }
  const hasFocusedGroup = () => focusedGroup() !== undefined
  const onFocusedGroup = (action: (group: NotificationGroup) => void) => () => {
    const group = focusedGroup()
    if (group) action(group)
  }
  useShortcuts('list', inboxMessages.title, [
    {
      keys: 'j',
      label: inboxMessages.next,
      run: () => rowFocus.move(1),
      repeats: true,
    },
    {
      keys: 'k',
      label: inboxMessages.previous,
      run: () => rowFocus.move(-1),
      repeats: true,
    },
    {
      keys: 'e',
      label: inboxMessages.doneKey,
      run: onFocusedGroup(toggleDone),
      when: hasFocusedGroup,
    },
    {
      keys: 'h',
      label: inboxMessages.snoozeKey,
      run: onFocusedGroup((group) => {
        const anchor = rowFocus.getRow()
        const label = inboxMessages.snooze(getSubjectName(group.newest))
        if (anchor) openOverlay(createSnoozeMenu(anchor, label, group, leaveRow))
      }),
      when: () => hasFocusedGroup() && !isDone,
    },
    {
      keys: 'u',
      label: inboxMessages.unreadKey,
      run: onFocusedGroup((group) => markGroupRead(group, group.isUnread)),
      when: () => hasFocusedGroup() && !isDone,
    },
  ])
}
