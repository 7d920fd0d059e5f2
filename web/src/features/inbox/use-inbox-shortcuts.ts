import type { RefObject } from 'react'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { markGroupDone, markGroupRead } from './mark-notifications.ts'
import { getSubjectName, type NotificationGroup } from './notification-groups.ts'
import { openSnoozeMenu } from './snooze-menu.ts'

/** Shortcuts of the inbox: J and K move, E marks done, H snoozes, U marks read or unread. */
export function useInboxShortcuts(
  list: RefObject<HTMLElement | null>,
  groups: readonly NotificationGroup[],
  isDone: boolean,
): void {
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-about]') ?? [])]
  const focusedRow = () => document.activeElement?.closest<HTMLElement>('[data-about]')
  const findFocus = () => {
    const all = rows()
    return { all, index: all.findIndex((one) => one.contains(document.activeElement)) }
  }
  const focusedGroup = () =>
    groups.find(({ subjectId }) => subjectId === focusedRow()?.dataset.about)
  const focusRow = (row: HTMLElement | undefined) => {
    row?.querySelector<HTMLElement>('a.title')?.focus()
    row?.scrollIntoView({ block: 'nearest' })
  }
  const moveFocus = (by: 1 | -1) => {
    const { all, index } = findFocus()
    focusRow(index === -1 ? all[0] : all[Math.min(Math.max(index + by, 0), all.length - 1)])
  }
  /** The row disappears from the list, so the focus moves to a neighbour first. */
  const toggleDone = (group: NotificationGroup) => {
    const { all, index } = findFocus()
    focusRow(all[index + 1] ?? all[index - 1])
    markGroupDone(group, !isDone)
  }
  const hasFocusedGroup = () => focusedGroup() !== undefined
  const onFocusedGroup = (action: (group: NotificationGroup) => void) => () => {
    const group = focusedGroup()
    if (group) action(group)
  }
  const isOutsidePanel = () => !document.activeElement?.closest('.panel')
  useShortcuts(inboxMessages.title, [
    {
      keys: 'j',
      label: inboxMessages.next,
      run: () => moveFocus(1),
      when: isOutsidePanel,
      repeats: true,
    },
    {
      keys: 'k',
      label: inboxMessages.previous,
      run: () => moveFocus(-1),
      when: isOutsidePanel,
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
        const anchor = focusedRow()
        if (anchor)
          openSnoozeMenu(anchor, inboxMessages.snooze(getSubjectName(group.newest)), group)
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
