import { type ReactNode, useState } from 'react'
import { uiMessages } from '../../messages/app/ui.ts'
import { unsavedMessages } from '../../messages/app/unsaved.ts'
import { InlineError } from '../feedback/error-message.tsx'
import { Button } from '../form/button.tsx'
import { type DialogOverlay, openOverlay } from './overlay-stack.ts'

/** Opens a dialog and returns a function that closes it; `body` receives the same function. */
export const openDialog = (
  dialog: Omit<DialogOverlay, 'kind'>,
  onClose?: () => void,
): (() => void) => openOverlay({ kind: 'dialog', ...dialog }, onClose)

interface ConfirmOptions {
  title: string
  /** The consequence in figures: "12 open tasks lose their assignee". */
  text: ReactNode
  /** The label of the confirming button: "Remove Mei". */
  action: string
  danger?: boolean
  /** A name that must be typed before confirming. */
  typed?: string
  /** Runs while the dialog stays open, which shows an error if it fails. */
  run?: () => Promise<void>
}

/** Asks for confirmation; resolves to true once it is given and `run` has succeeded. */
export function openConfirmDialog({ title, ...question }: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const result = { confirmed: false }
    openDialog(
      {
        title,
        body: (close) => (
          <ConfirmBody
            {...question}
            onCancel={close}
            onDone={() => {
              result.confirmed = true
              close()
            }}
          />
        ),
      },
      () => resolve(result.confirmed),
    )
  })
}

interface ConfirmBodyProps extends Omit<ConfirmOptions, 'title'> {
  onCancel: () => void
  onDone: () => void
}

function ConfirmBody({ text, action, danger, typed, run, onCancel, onDone }: ConfirmBodyProps) {
  const [typedName, setTypedName] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const isNameMissing = typed !== undefined && typedName.trim() !== typed
  const confirmAction = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await run?.()
      onDone()
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  return (
    <>
      <div className="dialog-text">{text}</div>
      {typed !== undefined && (
        <label className="typed">
          {unsavedMessages.typeName(typed)}
          <input
            className="field"
            autoComplete="off"
            value={typedName}
            onChange={(event) => setTypedName(event.target.value)}
          />
        </label>
      )}
      {error !== undefined && <InlineError error={error} onRetry={() => void confirmAction()} />}
      <div className="acts dialog-acts">
        <Button
          kind={danger ? 'danger' : 'primary'}
          busy={busy}
          reason={isNameMissing ? unsavedMessages.typeName(typed) : undefined}
          onClick={confirmAction}
        >
          {action}
        </Button>
        <Button kind="plain" onClick={onCancel}>
          {uiMessages.cancel}
        </Button>
      </div>
    </>
  )
}
