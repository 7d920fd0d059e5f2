import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { focusIfLost } from '../../../ui/keyboard/focus-if-lost.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { useFixedPlacement } from './fixed-placement.ts'

interface InlineTextFieldProps {
  /** The accessible name with the current value. */
  label: string
  /** The initial text of the field. */
  value: string
  hint?: string
  reason?: string | undefined
  /** The `data-does` that shortcuts find the button by. */
  does?: string
  /** Saves the typed text, or returns an error message. */
  onSave: (typed: string) => string | undefined
  children: ReactNode
}

/** A text being edited, with the field as it was when editing began. */
interface Draft extends Pick<InlineTextFieldProps, 'value' | 'onSave'> {
  typed: string
}

/** A value that turns into a text field when pressed: Enter and leaving it save, Esc cancels. */
export function InlineTextField({
  label,
  value,
  hint,
  reason,
  does,
  onSave,
  children,
}: InlineTextFieldProps) {
  const [draft, setDraft] = useState<Draft>()
  const [errorText, setErrorText] = useState<string>()
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  useFixedPlacement(draft !== undefined, does)
  const isEditing = useRef(false)
  const stopEditing = (focus: boolean) => {
    isEditing.current = false
    setDraft(undefined)
    setErrorText(undefined)
    if (focus) focusIfLost(() => button.current)
  }
  const save = (focus: boolean) => {
    if (!draft) return
    // With the value and `onSave` of now, it would overwrite unasked what others changed meanwhile.
    const saveError = draft.typed === draft.value ? undefined : draft.onSave(draft.typed)
    if (saveError === undefined) stopEditing(focus)
    else setErrorText(saveError)
  }
  // Going back takes the field away without a blur.
  const saveAtUnmount = useEffectEvent(() => isEditing.current && save(false))
  useEffect(() => () => void saveAtUnmount(), [])
  if (!draft) {
    return (
      <Button
        ref={button}
        kind="plain"
        className="value"
        data-does={does}
        aria-label={label}
        reason={reason}
        onClick={() => {
          isEditing.current = true
          setDraft({ typed: value, value, onSave })
        }}
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
        // biome-ignore lint/a11y/noAutofocus: the user opened it by pressing the value
        autoFocus
        aria-label={label}
        aria-invalid={errorText !== undefined || undefined}
        aria-describedby={errorText === undefined ? undefined : id}
        placeholder={hint}
        value={draft.typed}
        onChange={(event) => {
          setDraft({ ...draft, typed: event.target.value })
          setErrorText(undefined)
        }}
        onFocus={(event) => event.target.select()}
        onBlur={() => (errorText === undefined ? save(false) : stopEditing(false))}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          event.preventDefault()
          stopEditing(true)
        }}
      />
      <button type="submit" className="sr">
        {taskDetailMessages.save}
      </button>
      {errorText !== undefined && (
        <p className="error" id={id} role="alert">
          <Icon name="warning" />
          <span>{errorText}</span>
        </p>
      )}
    </form>
  )
}
