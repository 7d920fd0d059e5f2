import '../../styles/floats.css'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { m } from '../../messages/ui.ts'
import { Boundary } from '../boundary.tsx'
import { IconButton } from '../button.tsx'
import type { DialogFloat } from '../floats.ts'

/** A dialog with a title over a veil; on a phone it fills the page from below. */
export function FloatingDialog(props: DialogFloat & { onClose: () => void }) {
  const { title, gutter, wide, side, firm = false, body, onClose } = props
  const looks = ['dialog float', wide && 'wide', side && 'side-sheet'].filter(Boolean).join(' ')
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
      <Modal className={looks} data-overlay>
        <Dialog className="dialog-in">
          <header>
            <span className="gut">{gutter}</span>
            <Heading slot="title">{title}</Heading>
            {!firm && <IconButton icon="x" label={m.close} onClick={onClose} />}
          </header>
          <div className="dialog-body">
            <Boundary>{body(onClose)}</Boundary>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
