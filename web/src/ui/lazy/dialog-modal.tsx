import './dialog-modal.css'
import { useLayoutEffect, useRef } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { uiMessages } from '../../messages/app/ui.ts'
import { ErrorBoundary } from '../feedback/error-boundary.tsx'
import { IconButton } from '../form/button.tsx'
import { confirmFormLoss } from '../overlays/confirm-form-loss.ts'
import type { DialogOverlay } from '../overlays/overlay-stack.ts'

const FIELDS = ':is(input:not([type="hidden"]), select, textarea):enabled'

/**
 * A modal dialog with a title and backdrop; on a phone it fills the page from below. What has
 * `autoFocus` takes the focus, otherwise its first field.
 */
export function DialogModal(props: DialogOverlay & { onClose: () => void }) {
  const { title, gutter, wide, side, firm = false, body, onClose } = props
  const content = useRef<HTMLDivElement>(null)
  const lastFocus = useRef<HTMLElement>(null)
  // A dialog below takes the focus back until this one is complete, so `autoFocus` alone is not enough.
  useLayoutEffect(() => {
    const target = lastFocus.current ?? content.current?.querySelector<HTMLElement>(FIELDS)
    target?.focus()
  }, [])
  const dismiss = async () => {
    // A click beside the dialog has taken the focus, which a question gives back to where it was.
    if (document.activeElement === document.body) lastFocus.current?.focus()
    if (await confirmFormLoss(content.current)) onClose()
  }
  const classes = ['dialog float', wide && 'wide', side && 'side-sheet'].filter(Boolean).join(' ')
  return (
    <ModalOverlay
      className={side ? 'veil aside' : 'veil'}
      isOpen
      isDismissable={!firm}
      isKeyboardDismissDisabled={firm}
      onOpenChange={(open) => {
        if (!open) void dismiss()
      }}
    >
      <Modal className={classes} data-overlay>
        <Dialog className="dialog-in">
          <header>
            <span className="gut">{gutter}</span>
            <Heading slot="title">{title}</Heading>
            {!firm && <IconButton icon="x" label={uiMessages.close} onClick={dismiss} />}
          </header>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: only remembers which of its fields has the focus */}
          <div
            ref={content}
            className="dialog-body"
            onFocus={({ target }) => {
              lastFocus.current = target
            }}
          >
            <ErrorBoundary>{body(onClose)}</ErrorBoundary>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
