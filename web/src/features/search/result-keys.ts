import type { RefObject } from 'react'
import { m } from '../../messages/search.ts'
import { useKeys } from '../../ui/keys.ts'

/**
 * The keys of what was found: J and K go through it, `/` back to the field, Escape too; a task that is
 * open beside it is closed before (`close`).
 */
export function useResultKeys(
  list: RefObject<HTMLElement | null>,
  field: RefObject<HTMLInputElement | null>,
  close: (() => void) | undefined,
): { first: () => void } {
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('a.title') ?? [])]
  const to = (link: HTMLElement | undefined) => {
    link?.focus()
    link?.closest('.row')?.scrollIntoView({ block: 'nearest' })
  }
  const step = (by: 1 | -1) => {
    const all = links()
    const row = document.activeElement?.closest('.row')
    const at = all.findIndex((link) => link.closest('.row') === row)
    to(at === -1 ? all[0] : all[Math.min(Math.max(at + by, 0), all.length - 1)])
  }
  // What is beside the list has keys of its own.
  const here = () => !document.activeElement?.closest('.panel')
  const inList = () => list.current?.contains(document.activeElement) === true
  const leave = () => (close ? close() : field.current?.focus())
  useKeys(m.results, [
    { keys: 'j', label: m.next, run: () => step(1), when: here, repeats: true },
    { keys: 'k', label: m.previous, run: () => step(-1), when: here, repeats: true },
    {
      keys: 'arrowdown',
      label: m.next,
      run: () => step(1),
      when: inList,
      repeats: true,
      hidden: true,
    },
    {
      keys: 'arrowup',
      label: m.previous,
      run: () => step(-1),
      when: inList,
      repeats: true,
      hidden: true,
    },
    { keys: '/', label: m.toField, run: () => field.current?.select(), when: here },
    { keys: 'escape', label: m.toField, run: leave, when: inList, hidden: true },
  ])
  return { first: () => to(links()[0]) }
}
