import type { RefObject } from 'react'
import { useBoot } from '../../data/boot.ts'
import { taskOf } from '../../data/task-store.ts'
import { m } from '../../messages/tasks.ts'
import { type Shortcut, useKeys } from '../../ui/keys.ts'
import type { Field } from '../tasks/pickers.tsx'
import type { Picked } from './picked.ts'
import { completePicked, openPicked, removePicked } from './picked-acts.ts'

/**
 * The keys of a list of tasks of several projects: J and K go through it, X selects, and what is selected, or
 * else has the focus, is changed. What is beside the list has keys of its own.
 */
export function useLineKeys(
  list: RefObject<HTMLElement | null>,
  { picked, order }: { picked: Picked; order: readonly string[] },
): { first: () => void } {
  const boot = useBoot()
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('a.title') ?? [])]
  const rowOf = (element: Element | null | undefined) =>
    element?.closest<HTMLElement>('[data-task]') ?? undefined
  const at = () => rowOf(document.activeElement)?.dataset.task
  const to = (link: HTMLElement | undefined) => {
    link?.focus()
    link?.closest('.row')?.scrollIntoView({ block: 'nearest' })
    return rowOf(link)?.dataset.task
  }
  const step = (by: 1 | -1) => {
    const all = links()
    const row = rowOf(document.activeElement)
    const now = all.findIndex((link) => rowOf(link) === row)
    return to(now === -1 ? all[0] : all[Math.min(Math.max(now + by, 0), all.length - 1)])
  }
  const here = () => !document.activeElement?.closest('.panel')
  const inList = () => list.current?.contains(document.activeElement) === true
  const some = () => here() && (picked.ids.get().size > 0 || at() !== undefined)
  const meant = () => {
    const ids = picked.ids.get()
    const focused = at()
    const all = focused !== undefined && !ids.has(focused) ? [focused] : [...ids]
    return all.flatMap((id) => taskOf(id) ?? [])
  }
  const extend = (by: 1 | -1) => {
    const from = at()
    const next = step(by)
    if (next) picked.extend(order, from ?? next, next)
  }
  const pick = (field: Field) => () => {
    const anchor = rowOf(document.activeElement) ?? document.querySelector('.head-bar.bulk')
    const tasks = meant()
    if (anchor) openPicked(boot, tasks, field, anchor)
  }
  const table: Shortcut[] = [
    { keys: 'j', label: m.next, run: () => step(1), when: here, repeats: true },
    { keys: 'k', label: m.previous, run: () => step(-1), when: here, repeats: true },
    ...[1, -1].map((by) => ({
      ...{ keys: by > 0 ? 'arrowdown' : 'arrowup', label: by > 0 ? m.next : m.previous },
      ...{ run: () => step(by > 0 ? 1 : -1), when: inList, repeats: true, hidden: true },
    })),
    { keys: 'x', label: m.selectKey, when: inList, run: () => picked.toggle(at() ?? '') },
    {
      keys: 'shift+j|shift+arrowdown',
      label: m.extendDown,
      when: inList,
      repeats: true,
      run: () => extend(1),
    },
    {
      keys: 'shift+k|shift+arrowup',
      label: m.extendUp,
      when: inList,
      repeats: true,
      run: () => extend(-1),
    },
    { keys: 'mod+a', label: m.selectEvery, when: here, run: () => picked.set(order) },
    {
      keys: 'escape',
      label: m.clear,
      when: () => here() && picked.ids.get().size > 0,
      run: () => picked.set([]),
    },
    { keys: 's', label: m.setStatus, when: some, run: pick('status') },
    { keys: 'p', label: m.setPriority, when: some, run: pick('priority') },
    { keys: 'a', label: m.setPeople, when: some, run: pick('assignees') },
    { keys: 'l', label: m.setTags, when: some, run: pick('tags') },
    { keys: 'd', label: m.setDue, when: some, run: pick('due') },
    {
      keys: 'mod+enter',
      label: m.complete,
      when: some,
      run: () => {
        const tasks = meant()
        completePicked(boot, tasks)
      },
    },
    {
      keys: '#',
      label: m.delete,
      when: some,
      run: () => {
        const tasks = meant()
        picked.set([])
        removePicked(boot, tasks)
      },
    },
  ]
  useKeys(m.keysList, table)
  return { first: () => to(links()[0]) }
}
