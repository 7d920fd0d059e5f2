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
import { isModifier } from './key-queue.ts'

export type { Shortcut }

/** What a table of shortcuts belongs to: the frame, a screen, its list, a part of that, a task, a preview. */
type ShortcutLayer = 'frame' | 'screen' | 'list' | 'part' | 'panel' | 'preview'

/**
 * The layers that a key may mean, from the lowest. Dialogs, menus and text fields come before them
 * all. In the task panel no key is for the list, in the list its keys come before those of the panel,
 * which shows the task of the row. Elsewhere the panel is what somebody works on. A preview, which the
 * pointer alone may have opened, goes before all of them.
 */
function listLayersAt(focus: Element): ShortcutLayer[] {
  if (focus.closest('.panel')) return ['frame', 'screen', 'panel', 'preview']
  if (focus.closest('main')) return ['frame', 'screen', 'panel', 'list', 'part', 'preview']
  return ['frame', 'screen', 'list', 'part', 'panel', 'preview']
}

interface ShortcutTable {
  name: string
  layer: ShortcutLayer
  read: () => readonly Shortcut[]
}

const STORAGE_KEY = 'docket.single-keys'
/** The second key of a sequence must follow within this time. */
const SEQUENCE_TIMEOUT_MS = 1_000
/** An Enter within this time of the end of a composition is the key that ended it. */
const COMPOSITION_END_MS = 50

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
 * While an overlay is open, none of them apply.
 */
export function useShortcuts(
  layer: ShortcutLayer,
  name: string,
  shortcuts: readonly Shortcut[],
): void {
  const latest = useRef(shortcuts)
  // Before the screen is painted: a key works as soon as its screen can be seen.
  useLayoutEffect(() => {
    latest.current = shortcuts
  })
  useLayoutEffect(() => {
    const table = { name, layer, read: () => latest.current }
    tables.push(table)
    return () => {
      tables.splice(tables.indexOf(table), 1)
    }
  }, [name, layer])
}

/** The tables for a key press at an element, the highest last. */
export const listTablesAt = (focus: Element): ShortcutTable[] =>
  listLayersAt(focus).flatMap((layer) => tables.filter((table) => table.layer === layer))

/** Formats a shortcut for this platform: "Ctrl K", "⌘ K". */
export const formatShortcut = (keys: string): string => formatKeyChord(keys, isApplePlatform)

let compositionEnd = -COMPOSITION_END_MS
document.addEventListener('compositionend', ({ timeStamp }) => (compositionEnd = timeStamp), true)

/**
 * The keys of a composition are for the input method alone: Enter takes its word, and submits
 * nothing. Safari ends the composition before that Enter, whose key code is then 229; others send
 * it as an ordinary key right after the end. Editors of rich text need the other keys of one.
 */
window.addEventListener(
  'keydown',
  (event) => {
    const { key, target, timeStamp } = event
    const isEnter = key === 'Enter'
    if (!isEnter && isEditable(target)) return
    const endsComposition = isEnter && timeStamp - compositionEnd < COMPOSITION_END_MS
    if (!event.isComposing && event.keyCode !== 229 && !endsComposition) return
    event.stopImmediatePropagation()
    if (endsComposition) event.preventDefault()
  },
  true,
)

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || isModifier(event.key)) return
  const target = getKeyTarget(event)
  const inOverlay = target.closest(OVERLAY) !== null
  const inTextField = isTextField(target)
  const chord = toKeyChord(event, isApplePlatform)
  if (isActivation(target, chord)) return
  const match = matchShortcut(
    inOverlay ? [] : listTablesAt(target).map(({ read }) => read()),
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

const OVERLAY = '[data-overlay]:not([data-exiting], dialog:not([open]))'

/**
 * The element that a key press is for: that with the focus, or what is open if nothing has it. A
 * dialog that has just closed keeps the focus until the next frame: its keys are for the page.
 */
function getKeyTarget({ target }: KeyboardEvent): Element {
  const { body } = document
  const isOnPage = target instanceof Element && !target.closest('dialog:not([open])')
  const focus = isOnPage ? target : body
  return focus === body ? (document.querySelector(OVERLAY) ?? body) : focus
}

const NON_TEXT_INPUT_TYPES = /^(checkbox|radio|button|submit|reset|file|range|color)$/

const isEditable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.isContentEditable

/** Whether the element takes typed text. */
function isTextField(element: Element): boolean {
  if (element instanceof HTMLInputElement) return !NON_TEXT_INPUT_TYPES.test(element.type)
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return true
  return isEditable(element)
}

/** Whether the chord is one by which the browser itself activates the control; Space opens no link. */
const isActivation = (element: Element, chord: string) =>
  (chord === 'enter' || chord === 'space') &&
  element.closest(
    `button, summary, input, [role="menuitem"], [role="option"]${chord === 'enter' ? ', a[href]' : ''}`,
  ) !== null
