import { useEffect, useRef } from 'react'
import { signal } from '../lib/signal.ts'
import { chordOf, find, isSingle, type Shortcut, shownKeys } from './chords.ts'

export type { Shortcut }

interface Table {
  name: string
  over: boolean
  read: () => readonly Shortcut[]
}

const SWITCH = 'docket.single-keys'
const WAIT_MS = 1_000

/** Whether single letters do anything; kept in this browser. */
export const singleKeys = signal(localStorage.getItem(SWITCH) !== 'off')

/** Whether letters alone do something; kept for this browser. */
export function setSingleKeys(on: boolean): void {
  localStorage.setItem(SWITCH, on ? 'on' : 'off')
  singleKeys.set(on)
}

/** Whether its keyboard has a Command key. */
export const isApple: boolean = /Mac|iPhone|iPad/.test(navigator.platform)

const tables: Table[] = []
let prefix: string | undefined
let forget: ReturnType<typeof setTimeout> | undefined

/**
 * The shortcuts of a screen or panel while it is shown; the newest table wins. `over` is for what floats: while
 * something floating has the focus, the tables below it are silent.
 */
export function useKeys(name: string, shortcuts: readonly Shortcut[], { over = false } = {}): void {
  const latest = useRef(shortcuts)
  useEffect(() => {
    latest.current = shortcuts
  })
  useEffect(() => {
    const table = { name, over, read: () => latest.current }
    tables.push(table)
    return () => {
      tables.splice(tables.indexOf(table), 1)
    }
  }, [name, over])
}

/** What can be pressed now, by the table that offers it: the newest first. */
export function shortcutsNow(): { name: string; shortcuts: Shortcut[] }[] {
  const seen = new Set<string>()
  return tables.toReversed().flatMap(({ name, over, read }) => {
    const offered = ({ keys, hidden, when }: Shortcut) =>
      !hidden && !seen.has(keys) && when?.() !== false
    const shortcuts = read().filter(offered)
    for (const { keys } of shortcuts) seen.add(keys)
    return over || shortcuts.length === 0 ? [] : [{ name, shortcuts }]
  })
}

/** A shortcut as it stands on this keyboard: "Ctrl K", "⌘ K". */
export const keysText = (keys: string): string => shownKeys(keys, isApple)

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return
  const target = event.target instanceof Element ? event.target : document.body
  const floating = target.closest('[data-overlay]') !== null
  const typing = isField(target)
  const chord = chordOf(event, isApple)
  if (isPress(target, chord)) return
  const found = find(
    tables.filter(({ over }) => over || !floating).map(({ read }) => read()),
    chord,
    typing ? undefined : prefix,
    ({ inFields, repeats }, keys) =>
      (!typing || inFields === true) &&
      (!event.repeat || repeats === true) &&
      (singleKeys.get() || !isSingle(keys)),
  )
  clearTimeout(forget)
  prefix = found.prefix
  if (prefix !== undefined) forget = setTimeout(() => (prefix = undefined), WAIT_MS)
  if (found.shortcut) {
    event.preventDefault()
    found.shortcut.run(event)
  }
})

const isModifier = (key: string) => /^(Shift|Control|Alt|Meta|AltGraph|Dead)$/.test(key)

const NO_TEXT = /^(checkbox|radio|button|submit|reset|file|range|color)$/

/** Whether what is pressed there is text. */
function isField(element: Element): boolean {
  if (element instanceof HTMLInputElement) return !NO_TEXT.test(element.type)
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return true
  return element instanceof HTMLElement && element.isContentEditable
}

/** Enter and Space press what has the focus, where that can be pressed. */
const isPress = (element: Element, chord: string) =>
  (chord === 'enter' || chord === 'space') &&
  element.closest('button, a[href], summary, input, [role="menuitem"], [role="option"]') !== null
