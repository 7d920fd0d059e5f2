import { OverlayButton, type OverlayButtonBaseProps } from './overlay-button.tsx'
import {
  type DateOverlay,
  openOverlay,
  type PickerOption,
  type PickerOverlay,
} from './overlay-stack.ts'

export type { PickerOption }
export type PickerConfig = Omit<PickerOverlay, 'kind' | 'anchor' | 'label'>
type DatePickerConfig = Omit<DateOverlay, 'kind' | 'anchor' | 'label'>

/** A button that opens a searchable picker; its children show the picked values. */
export function PickerButton({ pick, ...rest }: OverlayButtonBaseProps & { pick: PickerConfig }) {
  return (
    <OverlayButton
      {...rest}
      overlayKind="pick"
      createOverlay={(anchor) => ({ kind: 'pick', anchor, label: rest.label, ...pick })}
    />
  )
}

/** Opens a picker at an element, e.g. for a shortcut. */
export const openPicker = (
  pick: PickerConfig & { anchor: Element; label: string },
  onClose?: () => void,
): (() => void) => openOverlay({ kind: 'pick', ...pick }, onClose)

/** A button that opens a calendar with a field for typed dates. */
export function DateButton({ pick, ...rest }: OverlayButtonBaseProps & { pick: DatePickerConfig }) {
  return (
    <OverlayButton
      {...rest}
      overlayKind="date"
      createOverlay={(anchor) => ({ kind: 'date', anchor, label: rest.label, ...pick })}
    />
  )
}

/** Opens a calendar at an element, e.g. for a shortcut. */
export const openDatePicker = (
  pick: DatePickerConfig & { anchor: Element; label: string },
  onClose?: () => void,
): (() => void) => openOverlay({ kind: 'date', ...pick }, onClose)
