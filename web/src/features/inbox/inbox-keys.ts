import type { RefObject } from 'react'
import { m } from '../../messages/inbox.ts'
import { useKeys } from '../../ui/keys.ts'
import type { Group } from './grouped.ts'
import { nameOf } from './inbox-line.tsx'
import { markDone, markRead } from './marking.ts'
import { openSnooze } from './snooze-menu.ts'

/** The keys of the inbox: J and K go through it, E is done, H comes back later, U is read or unread. */
export function useInboxKeys(
  list: RefObject<HTMLElement | null>,
  groups: readonly Group[],
  isDone: boolean,
): void {
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-about]') ?? [])]
  const row = () => document.activeElement?.closest<HTMLElement>('[data-about]')
  const place = () => {
    const all = rows()
    return { all, now: all.findIndex((one) => one.contains(document.activeElement)) }
  }
  const at = () => groups.find(({ about }) => about === row()?.dataset.about)
  const to = (line: HTMLElement | undefined) => {
    line?.querySelector<HTMLElement>('a.title')?.focus()
    line?.scrollIntoView({ block: 'nearest' })
  }
  const step = (by: 1 | -1) => {
    const { all, now } = place()
    to(now === -1 ? all[0] : all[Math.min(Math.max(now + by, 0), all.length - 1)])
  }
  /** The line goes, and the next one gets the focus. */
  const leave = (group: Group) => {
    const { all, now } = place()
    to(all[now + 1] ?? all[now - 1])
    void markDone(group, !isDone)
  }
  const on = () => at() !== undefined
  const doing = (work: (group: Group) => void) => () => {
    const group = at()
    if (group) work(group)
  }
  const here = () => !document.activeElement?.closest('.panel')
  useKeys(m.title, [
    { keys: 'j', label: m.next, run: () => step(1), when: here, repeats: true },
    { keys: 'k', label: m.previous, run: () => step(-1), when: here, repeats: true },
    { keys: 'e', label: m.doneKey, run: doing(leave), when: on },
    {
      keys: 'h',
      label: m.snoozeKey,
      run: doing((group) => {
        const anchor = row()
        if (anchor) openSnooze(anchor, m.snooze(nameOf(group.newest)), group)
      }),
      when: () => on() && !isDone,
    },
    {
      keys: 'u',
      label: m.unreadKey,
      run: doing((group) => void markRead(group, group.unread)),
      when: () => on() && !isDone,
    },
  ])
}
