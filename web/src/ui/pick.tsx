import { type DateFloat, type Option, openFloat, type PickFloat } from './floats.ts'
import { Opener, type OpenerProps } from './opener.tsx'

export type { Option }
export type PickProps = Omit<PickFloat, 'kind' | 'anchor' | 'label'>
export type DateProps = Omit<DateFloat, 'kind' | 'anchor' | 'label'>

/** A button with a searchable picker of one or several; its children show what is picked. */
export function PickButton({ pick, ...rest }: OpenerProps & { pick: PickProps }) {
  return (
    <Opener
      {...rest}
      opens="pick"
      float={(anchor) => ({ kind: 'pick', anchor, label: rest.label, ...pick })}
    />
  )
}

/** Opens a picker at an element, e.g. for a key. */
export const openPick = (
  pick: PickProps & { anchor: Element; label: string },
  onClose?: () => void,
): (() => void) => openFloat({ kind: 'pick', ...pick }, onClose)

/** A button with a calendar and a line for words. */
export function DateButton({ pick, ...rest }: OpenerProps & { pick: DateProps }) {
  return (
    <Opener
      {...rest}
      opens="date"
      float={(anchor) => ({ kind: 'date', anchor, label: rest.label, ...pick })}
    />
  )
}

/** Opens a calendar at an element, e.g. for a key. */
export const openDate = (
  pick: DateProps & { anchor: Element; label: string },
  onClose?: () => void,
): (() => void) => openFloat({ kind: 'date', ...pick }, onClose)
