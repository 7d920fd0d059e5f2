import './dialog-modal.css'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { uiMessages } from '../../messages/app/ui.ts'
import { ErrorBoundary } from '../feedback/error-boundary.tsx'
import { IconButton } from '../form/button.tsx'
import type { DialogOverlay } from '../overlays/overlay-stack.ts'

/** A modal dialog with a title and backdrop; on a phone it fills the page from below. */
export function DialogModal(props: DialogOverlay & { onClose: () => void }) {
  const { title, gutter, wide, side, firm = false, body, onClose } = props
  const classes = ['dialog float', wide && 'wide', side && 'side-sheet'].filter(Boolean).join(' ')
  return (
    <ModalOverlay
      className={side ? 'veil aside' : 'veil'}
      isOpen
      isDismissable={!firm}
      isKeyboardDismissDisabled={firm}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className={classes} data-overlay>
        <Dialog className="dialog-in">
          <header>
            <span className="gut">{gutter}</span>
            <Heading slot="title">{title}</Heading>
            {!firm && <IconButton icon="x" label={uiMessages.close} onClick={onClose} />}
          </header>
          <div className="dialog-body">
            <ErrorBoundary>{body(onClose)}</ErrorBoundary>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
