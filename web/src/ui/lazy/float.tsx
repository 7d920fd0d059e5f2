import '../../styles/floats.css'
import { type ReactNode, useRef, useSyncExternalStore } from 'react'
import { Dialog, I18nProvider, Modal, ModalOverlay, Popover } from 'react-aria-components'
import { useSignal } from '../../lib/signal.ts'
import { viewer } from '../../lib/viewer.ts'

const NARROW = '(width < 600px)'

/** Whether the page is as narrow as a phone's. */
const useNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      const query = matchMedia(NARROW)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => matchMedia(NARROW).matches,
  )

/** Whether a field may take the focus at once: on a touch screen that would cover the sheet with a keyboard. */
export const mayFocusField = (): boolean => !matchMedia('(pointer: coarse)').matches

interface Props {
  anchor: Element
  label: string
  onClose: () => void
  children: ReactNode
}

/** A sheet beside its anchor, or at the bottom of a phone; focus goes into it and back. */
export function FloatBy({ anchor, label, onClose, children }: Props) {
  const trigger = useRef(anchor)
  const narrow = useNarrow()
  const { locale } = useSignal(viewer)
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
      {narrow ? (
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
