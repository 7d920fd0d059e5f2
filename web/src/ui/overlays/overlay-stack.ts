import type { ReactNode } from 'react'
import type { Instant } from '../../lib/dates/instant.ts'
import type { PlainDate } from '../../lib/dates/plain-date.ts'
import { atom } from '../../lib/state/atom.ts'
import { queueKeys } from '../keyboard/key-queue.ts'
import type { IconName } from '../marks/icon.tsx'

/** One entry of a menu. */
export interface MenuItem {
  id: string
  label: string
  /** Secondary text at the end of the entry. */
  hint?: string
  icon?: IconName
  /** A drawing instead of an icon: a status, a priority or an avatar. */
  mark?: ReactNode
  /** The shortcut to show, e.g. `shift+e`. */
  shortcut?: string
  /** Whether it is checked; undefined for entries that cannot be. */
  checked?: boolean
  /** Why the entry is disabled. */
  reason?: string | undefined
  danger?: boolean
  run?: () => void
  /** The entries of a submenu. */
  items?: readonly MenuItem[]
}

/** A group of menu entries under a heading or a separator. */
export interface MenuSection {
  label?: string
  items: readonly MenuItem[]
}

/** A menu beside the element that opened it. */
export interface MenuOverlay {
  kind: 'menu'
  anchor: Element
  /** Whether the anchor is a point: then the menu is beside it, and moves up as far as it has to. */
  atPoint?: boolean
  label: string
  sections: readonly MenuSection[]
}

/** One option of a picker: a status, a person, a tag, a project or a task. */
export interface PickerOption {
  id: string
  label: string
  hint?: string
  mark?: ReactNode
  /** Further words that a search matches. */
  words?: string
  reason?: string | undefined
}

/** A searchable list beside the element that opened it. */
export interface PickerOverlay {
  kind: 'pick'
  anchor: Element
  /** Names the value to pick, e.g. "Assignees of DOC-42". */
  label: string
  options: readonly PickerOption[]
  picked: readonly string[]
  several?: boolean
  /** Options that only some selected records have: shown with a dash, kept unless pressed. */
  some?: readonly string[]
  placeholder?: string
  /** Searches the server for further options. */
  search?: (typed: string, signal: AbortSignal) => Promise<readonly PickerOption[]>
  /** Creates an option from the typed text; `label` describes it. */
  create?: { label: (typed: string) => string; run: (typed: string) => Promise<PickerOption> }
  /**
   * Called once: when an option is chosen, or with `several` when the picker closes after a change.
   */
  onPick: (ids: string[], change: { added: string[]; removed: string[] }) => void
}

/** A calendar with a field for typed dates, beside the element that opened it. */
export interface DateOverlay {
  kind: 'date'
  anchor: Element
  label: string
  date: PlainDate | null
  /** The instant, if the date has a time. */
  at?: Instant | null
  /** Whether it is for tasks of different dates: then each choice changes some of them. */
  mixed?: boolean
  /** Whether a time can be chosen as well. */
  timed?: boolean
  onPick: (when: { date: PlainDate | null; at: Instant | null }) => void
}

/** Content of its own beside the element that opened it, with a field that takes the first keys. */
interface SheetOverlay {
  kind: 'sheet'
  anchor: Element
  label: string
  body: (close: () => void) => ReactNode
}

/** A dialog over the whole page. */
export interface DialogOverlay {
  kind: 'dialog'
  title: string
  /** Content of the gutter beside the title, e.g. a short id. */
  gutter?: ReactNode
  wide?: boolean
  /** Slides in from the side over the full height. */
  side?: boolean
  /** Only its buttons close it, because dismissing it would lose something. */
  firm?: boolean
  body: (close: () => void) => ReactNode
}

export type Overlay = MenuOverlay | PickerOverlay | DateOverlay | SheetOverlay | DialogOverlay

/** An overlay on the stack. */
export interface OpenedOverlay {
  id: number
  overlay: Overlay
  close: () => void
  /** The elements that can take the focus back, the most recently focused first. */
  focusOrigins: readonly Element[]
}

/** The open overlays, the newest last. */
export const overlayStack = atom<readonly OpenedOverlay[]>([])

/** Gives the closed overlay time to return the focus itself. */
const RESTORE_FOCUS_DELAY_MS = 50

/** Runs what moves the focus from a menu entry, after the menu has closed. */
export const runAfterMenu = (run: () => void): void => void setTimeout(run, RESTORE_FOCUS_DELAY_MS)

const last = { id: 0 }

/** Opens an overlay and returns a function that closes it; `onClose` is called once. */
export function openOverlay(spec: Overlay, onClose?: () => void): () => void {
  last.id += 1
  const { id } = last
  const origins = [
    document.activeElement,
    ...(overlayStack.get().at(-1)?.focusOrigins ?? []),
  ].filter((element) => element !== null)
  const hasField = spec.kind !== 'menu' && spec.kind !== 'dialog'
  const close = () => {
    if (!overlayStack.get().some((one) => one.id === id)) return
    dropKeys()
    overlayStack.set(overlayStack.get().filter((one) => one.id !== id))
    onClose?.()
    setTimeout(() => restoreFocus(origins), RESTORE_FOCUS_DELAY_MS)
  }
  const dropKeys = queueKeys(hasField, spec.kind === 'dialog' && spec.firm ? undefined : close)
  overlayStack.set([...overlayStack.get(), { id, overlay: spec, close, focusOrigins: origins }])
  return close
}

/**
 * Restores the focus if closing lost it: a dialog opened from a menu cannot return it to the menu,
 * which is gone by then, so it goes to the element that opened the menu.
 */
function restoreFocus(origins: readonly Element[]): void {
  if (document.activeElement && document.activeElement !== document.body) return
  const target = origins.find((element) => element.isConnected && element !== document.body)
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}
