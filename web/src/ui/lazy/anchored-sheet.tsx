import '../overlays/popover.css'
import './dialog-modal.css'
import { type ReactNode, useRef, useSyncExternalStore } from 'react'
import { Dialog, I18nProvider, Modal, ModalOverlay, Popover } from 'react-aria-components'
import { viewer } from '../../lib/locale/viewer.ts'
import { useAtom } from '../../lib/state/atom.ts'

const NARROW_QUERY = '(width < 600px)'

/** Whether the viewport is as narrow as a phone's. */
const useIsNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      const query = matchMedia(NARROW_QUERY)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => matchMedia(NARROW_QUERY).matches,
  )

interface AnchoredSheetProps {
  anchor: Element
  label: string
  onClose: () => void
  children: ReactNode
}

/** A popover beside its anchor, or a sheet at the bottom of a phone, with focus management. */
export function AnchoredSheet({ anchor, label, onClose, children }: AnchoredSheetProps) {
  const trigger = useRef(anchor)
  const isNarrow = useIsNarrow()
  const { locale } = useAtom(viewer)
  const onOpenChange = (open: boolean) => {
    if (!open) onClose()
  }
  const dialog = (
    <Dialog aria-label={label} className="pop-in">
      {children}
    </Dialog>
  )
  return (
    <I18nProvider locale={locale}>
      {isNarrow ? (
        <ModalOverlay className="veil low" isOpen isDismissable onOpenChange={onOpenChange}>
          <Modal className="bottom float" data-overlay>
            {dialog}
          </Modal>
        </ModalOverlay>
      ) : (
        <Popover
          className="pop float"
          data-overlay
          triggerRef={trigger}
          isOpen
          onOpenChange={onOpenChange}
          placement="bottom start"
          offset={4}
        >
          {dialog}
        </Popover>
      )}
    </I18nProvider>
  )
}
