import type { OpenedOverlay } from '../overlays/overlay-stack.ts'
import { AnchoredSheet } from './anchored-sheet.tsx'
import { DatePopover } from './date-popover.tsx'
import { DialogModal } from './dialog-modal.tsx'
import { MenuPopover } from './menu-popover.tsx'
import { PickerPopover } from './picker-popover.tsx'

/** Renders an overlay by its kind. All kinds are one chunk, because they share most code. */
export default function OverlayView({ overlay, close }: OpenedOverlay) {
  if (overlay.kind === 'menu') return <MenuPopover {...overlay} onClose={close} />
  if (overlay.kind === 'pick') return <PickerPopover {...overlay} onClose={close} />
  if (overlay.kind === 'date') return <DatePopover {...overlay} onClose={close} />
  if (overlay.kind === 'sheet')
    return (
      <AnchoredSheet {...overlay} onClose={close}>
        {overlay.body(close)}
      </AnchoredSheet>
    )
  return <DialogModal {...overlay} onClose={close} />
}
