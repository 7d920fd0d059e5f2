import { useLayoutEffect, useRef } from 'react'
import { atom } from '../../lib/state/atom.ts'
import { localStore } from '../../lib/state/browser-storage.ts'
import {
  formatKeyChord,
  isSingleKey,
  matchShortcut,
  type Shortcut,
  toKeyChord,
} from './key-chords.ts'

export type { Shortcut }

/**
 * What a table belongs to, from the lowest: the keys of a part of a screen go before those of the
 * screen, and those of the task panel before both, whichever of them was mounted first.
 */
const LAYERS = ['frame', 'screen', 'part', 'panel'] as const

interface ShortcutTable {
  name: string
  layer: number
  read: () => readonly Shortcut[]
}

const STORAGE_KEY = 'docket.single-keys'
/** The second key of a sequence must follow within this time. */
const SEQUENCE_TIMEOUT_MS = 1_000

/** Whether single-key shortcuts are on; stored in this browser. */
export const singleKeysEnabled = atom(localStore.read(STORAGE_KEY) !== 'off')

/** Turns single-key shortcuts on or off and stores the choice in this browser. */
export function setSingleKeysEnabled(on: boolean): void {
  localStore.write(STORAGE_KEY, on ? 'on' : 'off')
  singleKeysEnabled.set(on)
}

/** Whether the keyboard has a Command key. */
export const isApplePlatform: boolean = /Mac|iPhone|iPad/.test(navigator.platform)

const tables: ShortcutTable[] = []
let prefix: string | undefined
let prefixTimer: ReturnType<typeof setTimeout> | undefined

/**
 * Registers shortcuts while a component is mounted; of the highest layer, the newest table wins.
 * While an overlay has the focus, none of them apply.
 */
export function useShortcuts(
  layerName: (typeof LAYERS)[number],
  name: string,
  shortcuts: readonly Shortcut[],
): void {
  const latest = useRef(shortcuts)
  // Before the screen is painted: a key works as soon as its screen can be seen.
  useLayoutEffect(() => {
    latest.current = shortcuts
  })
  useLayoutEffect(() => {
    const layer = LAYERS.indexOf(layerName)
    const table = { name, layer, read: () => latest.current }
    tables.splice(tables.findLastIndex((other) => other.layer <= layer) + 1, 0, table)
    return () => {
      tables.splice(tables.indexOf(table), 1)
    }
  }, [name, layerName])
}

/** Lists the shortcuts that apply now by table, the highest first. */
export function listActiveShortcuts(): { name: string; shortcuts: Shortcut[] }[] {
  const listedKeys = new Set<string>()
  return tables.toReversed().flatMap(({ name, read }) => {
    const isListed = ({ keys, hidden, when }: Shortcut) =>
      !hidden && !listedKeys.has(keys) && when?.() !== false
    const shortcuts = read().filter(isListed)
    for (const { keys } of shortcuts) listedKeys.add(keys)
    return shortcuts.length === 0 ? [] : [{ name, shortcuts }]
  })
}

/** Formats a shortcut for this platform: "Ctrl K", "⌘ K". */
export const formatShortcut = (keys: string): string => formatKeyChord(keys, isApplePlatform)

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return
  const target = getKeyTarget(event)
  const inOverlay = target.closest('[data-overlay]') !== null
  const inTextField = isTextField(target)
  const chord = toKeyChord(event, isApplePlatform)
  if (isActivation(target, chord)) return
  const match = matchShortcut(
    inOverlay ? [] : tables.map(({ read }) => read()),
    chord,
    inTextField ? undefined : prefix,
    ({ inFields, repeats }, keys) =>
      (!inTextField || inFields === true) &&
      (!event.repeat || repeats === true) &&
      (singleKeysEnabled.get() || !isSingleKey(keys)),
  )
  clearTimeout(prefixTimer)
  prefix = match.prefix
  if (prefix !== undefined)
    prefixTimer = setTimeout(() => (prefix = undefined), SEQUENCE_TIMEOUT_MS)
  if (match.shortcut) {
    event.preventDefault()
    match.shortcut.run(event)
  }
})

/**
 * The element that a key press is for. A dialog that has just closed keeps the focus until the next
 * frame: its keys are for the page.
 */
function getKeyTarget({ target }: KeyboardEvent): Element {
  const isOnPage = target instanceof Element && !target.closest('dialog:not([open])')
  return isOnPage ? target : document.body
}

const isModifier = (key: string) => /^(Shift|Control|Alt|Meta|AltGraph|Dead)$/.test(key)

const NON_TEXT_INPUT_TYPES = /^(checkbox|radio|button|submit|reset|file|range|color)$/

/** Whether the element takes typed text. */
function isTextField(element: Element): boolean {
  if (element instanceof HTMLInputElement) return !NON_TEXT_INPUT_TYPES.test(element.type)
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return true
  return element instanceof HTMLElement && element.isContentEditable
}

/** Whether the chord is Enter or Space on a control, which the browser activates itself. */
const isActivation = (element: Element, chord: string) =>
  (chord === 'enter' || chord === 'space') &&
  element.closest('button, a[href], summary, input, [role="menuitem"], [role="option"]') !== null
