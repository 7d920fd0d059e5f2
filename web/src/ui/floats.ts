import type { ReactNode } from 'react'
import type { PlainDate } from '../lib/day.ts'
import type { Instant } from '../lib/instant.ts'
import { signal } from '../lib/signal.ts'
import type { IconName } from './icon.tsx'
import { typeAhead } from './type-ahead.ts'

/** One thing that a menu offers. */
export interface MenuItem {
  id: string
  label: string
  /** Quiet words at its end. */
  hint?: string
  icon?: IconName
  /** A drawing instead of an icon: a stamp, a priority, a person. */
  mark?: ReactNode
  /** Its shortcut, e.g. `shift+e`. */
  shortcut?: string
  /** Ticked; false for one that could be. */
  checked?: boolean
  /** Why it cannot be chosen now. */
  reason?: string | undefined
  danger?: boolean
  run?: () => void
  /** A menu of its own. */
  items?: readonly MenuItem[]
}

/** Things that belong together in a menu, under a heading or a line. */
export interface MenuSection {
  label?: string
  items: readonly MenuItem[]
}

/** A menu beside what opened it. */
export interface MenuFloat {
  kind: 'menu'
  anchor: Element
  label: string
  sections: readonly MenuSection[]
}

/** One thing to pick: a status, a person, a tag, a project, a task. */
export interface Option {
  id: string
  label: string
  hint?: string
  mark?: ReactNode
  /** Other words that find it. */
  words?: string
  reason?: string | undefined
}

/** A list to search and pick from, beside what opened it. */
export interface PickFloat {
  kind: 'pick'
  anchor: Element
  /** What is picked, e.g. "Assignees of DOC-42". */
  label: string
  options: readonly Option[]
  picked: readonly string[]
  several?: boolean
  /** Picked by some of many records: shown with a dash, and left as they are unless pressed. */
  some?: readonly string[]
  placeholder?: string
  /** Finds further options by what is typed. */
  search?: (typed: string, signal: AbortSignal) => Promise<readonly Option[]>
  /** Makes an option of what is typed; `label` says what will be made. */
  create?: { label: (typed: string) => string; run: (typed: string) => Promise<Option> }
  /** Once: at the choice of one, or, of several, when the picker closes and something changed. */
  onPick: (ids: string[], change: { added: string[]; removed: string[] }) => void
}

/** A calendar with a field for dates in words, beside what opened it. */
export interface DateFloat {
  kind: 'date'
  anchor: Element
  label: string
  date: PlainDate | null
  /** Of a date with a time. */
  at?: Instant | null
  /** Whether a time may be chosen, too. */
  timed?: boolean
  onPick: (when: { date: PlainDate | null; at: Instant | null }) => void
}

/** A dialog over the whole page. */
export interface DialogFloat {
  kind: 'dialog'
  title: string
  /** A line above the title, or its number: what stands in the gutter. */
  gutter?: ReactNode
  wide?: boolean
  /** From the side, over its full height. */
  side?: boolean
  /** Only its buttons close it: something would be lost. */
  firm?: boolean
  body: (close: () => void) => ReactNode
}

export type Float = MenuFloat | PickFloat | DateFloat | DialogFloat

/** Something that floats, as it is open now. */
export interface OpenFloat {
  id: number
  float: Float
  close: () => void
  /** Where the focus was when it was opened, the nearest first. */
  from: readonly Element[]
}

/** What floats above the screen, the newest last. */
export const floats = signal<readonly OpenFloat[]>([])

const last = { id: 0 }

/** Opens something that floats; `onClose` is called once. Gives what closes it. */
export function openFloat(float: Float, onClose?: () => void): () => void {
  last.id += 1
  const { id } = last
  const from = [document.activeElement, ...(floats.get().at(-1)?.from ?? [])].filter(
    (element) => element !== null,
  )
  const close = () => {
    if (!floats.get().some((one) => one.id === id)) return
    floats.set(floats.get().filter((one) => one.id !== id))
    onClose?.()
    setTimeout(() => refocus(from), 50)
  }
  floats.set([...floats.get(), { id, float, close, from }])
  if (float.kind === 'pick' || float.kind === 'date') typeAhead()
  return close
}

/** A dialog that a menu opened cannot give the focus back to the menu: then it goes where that came from. */
function refocus(from: readonly Element[]): void {
  if (document.activeElement && document.activeElement !== document.body) return
  const found = from.find((element) => element.isConnected && element !== document.body)
  if (found instanceof HTMLElement) found.focus({ preventScroll: true })
}
