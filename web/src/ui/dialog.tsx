import { type ReactNode, useState } from 'react'
import { m } from '../messages/ui.ts'
import { Button } from './button.tsx'
import { type DialogFloat, openFloat } from './floats.ts'
import { TroubleLine } from './trouble.tsx'

/** Opens a dialog; `body` is given what closes it. Gives the same. */
export const openDialog = (dialog: Omit<DialogFloat, 'kind'>, onClose?: () => void): (() => void) =>
  openFloat({ kind: 'dialog', ...dialog }, onClose)

interface Question {
  title: string
  /** What will happen, named: "12 open tasks lose their assignee". */
  text: ReactNode
  /** What the button does: "Remove Mei". */
  action: string
  danger?: boolean
  /** The name that has to be typed first. */
  typed?: string
  /** Done while the dialog waits; a failure is told in it. */
  run?: () => Promise<void>
}

/** Asks before something that cannot be taken back; true once it was confirmed (and `run` is through). */
export function confirm({ title, ...question }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = { yes: false }
    openDialog(
      {
        title,
        body: (close) => (
          <Confirm
            {...question}
            onCancel={close}
            onDone={() => {
              answer.yes = true
              close()
            }}
          />
        ),
      },
      () => resolve(answer.yes),
    )
  })
}

interface ConfirmProps extends Omit<Question, 'title'> {
  onCancel: () => void
  onDone: () => void
}

function Confirm({ text, action, danger, typed, run, onCancel, onDone }: ConfirmProps) {
  const [written, setWritten] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const missing = typed !== undefined && written.trim() !== typed
  const act = async () => {
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
          {m.typeName(typed)}
          <input
            className="field"
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the dialog asks for this name
            autoFocus
            value={written}
            onChange={(event) => setWritten(event.target.value)}
          />
        </label>
      )}
      {error !== undefined && <TroubleLine error={error} />}
      <div className="acts dialog-acts">
        <Button
          kind={danger ? 'danger' : 'primary'}
          busy={busy}
          reason={missing ? m.typeName(typed) : undefined}
          onClick={act}
        >
          {action}
        </Button>
        <Button kind="plain" onClick={onCancel}>
          {m.cancel}
        </Button>
      </div>
    </>
  )
}
