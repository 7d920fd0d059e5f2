import { type ReactNode, useId, useRef, useState } from 'react'
import { m } from '../../../messages/task.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { refocus } from '../../../ui/refocus.ts'

interface Props {
  /** Its name and value for who cannot see it. */
  label: string
  /** What is in the field when it opens. */
  value: string
  hint?: string
  reason?: string | undefined
  /** What a key presses it by. */
  does?: string
  /** Takes what was typed, or says what is wrong with it. */
  onSave: (typed: string) => string | undefined
  children: ReactNode
}

/** A value that turns into a field when it is pressed: Enter saves, Esc leaves it as it was. */
export function InlineText({ label, value, hint, reason, does, onSave, children }: Props) {
  const [typed, setTyped] = useState<string>()
  const [wrong, setWrong] = useState<string>()
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const end = (focus: boolean) => {
    setTyped(undefined)
    setWrong(undefined)
    if (focus) refocus(() => button.current)
  }
  const save = (focus: boolean) => {
    if (typed === undefined) return
    const fault = typed === value ? undefined : onSave(typed)
    if (fault === undefined) end(focus)
    else setWrong(fault)
  }
  if (typed === undefined) {
    return (
      <Button
        ref={button}
        kind="plain"
        className="value"
        data-does={does}
        aria-label={label}
        reason={reason}
        onClick={() => setTyped(value)}
      >
        {children}
      </Button>
    )
  }
  return (
    <form
      className="inline-text"
      onSubmit={(event) => {
        event.preventDefault()
        save(true)
      }}
    >
      <input
        className="field"
        // biome-ignore lint/a11y/noAutofocus: it was asked for by pressing the value
        autoFocus
        aria-label={label}
        aria-invalid={wrong !== undefined || undefined}
        aria-describedby={wrong === undefined ? undefined : id}
        placeholder={hint}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => (wrong === undefined ? save(false) : end(false))}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          event.preventDefault()
          end(true)
        }}
      />
      <button type="submit" className="sr">
        {m.save}
      </button>
      {wrong !== undefined && (
        <p className="error" id={id} role="alert">
          <Icon name="warning" />
          {wrong}
        </p>
      )}
    </form>
  )
}
