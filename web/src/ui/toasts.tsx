import { useRef } from 'react'
import { end, hold, resume, type Toast, toasts, undo, undoLast } from '../data/toasts.ts'
import { useSignal } from '../lib/signal.ts'
import { m } from '../messages/ui.ts'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { useKeys } from './keys.ts'
import { StatusMark } from './status-mark.tsx'
import { RequestId } from './trouble.tsx'

/** Toasts of what was done, and Mod+Z for the last of them; one for the whole app. */
export function Toasts() {
  const shown = useSignal(toasts)
  const before = useRef<HTMLElement | null>(null)
  useKeys(m.everywhere, [{ keys: 'mod+z', label: m.undo, run: undoLast, when: canUndo }])
  const restore = () => before.current?.focus({ preventScroll: true })
  return (
    // Dialogs make the rest of the page inert; what undoes is meant to stay within reach.
    <section className="toasts" aria-label={m.messages} data-react-aria-top-layer="true">
      <ul aria-live="polite" aria-relevant="additions">
        {shown.map((one) => (
          <OneToast
            key={one.id}
            toast={one}
            onEnter={(from) => {
              before.current = from
            }}
            onLeave={restore}
          />
        ))}
      </ul>
    </section>
  )
}

const canUndo = () => toasts.get().some((one) => one.undo)

interface Props {
  toast: Toast
  /** The focus came from there. */
  onEnter: (from: HTMLElement) => void
  /** It is gone while it had the focus. */
  onLeave: () => void
}

function OneToast({ toast, onEnter, onLeave }: Props) {
  const { id, text, tone, action, request_id } = toast
  const close = (how: () => void) => () => {
    how()
    onLeave()
  }
  return (
    <li
      className="toast float"
      data-tone={tone}
      onPointerEnter={() => hold(id)}
      onPointerLeave={() => resume(id)}
      onFocus={({ relatedTarget, currentTarget }) => {
        hold(id)
        const outside =
          relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)
        if (outside && !relatedTarget.closest('.toasts')) onEnter(relatedTarget)
      }}
      onBlur={() => resume(id)}
    >
      {tone === 'done' ? <StatusMark mark="done" /> : <Icon name="warning" />}
      <span>{text}</span>
      {request_id && <RequestId id={request_id} />}
      {action && (
        <Button kind="plain" onClick={close(action.run)}>
          {action.label}
        </Button>
      )}
      {toast.undo && (
        <Button kind="plain" keys="mod+z" onClick={close(() => undo(id))}>
          {m.undo}
        </Button>
      )}
      <IconButton icon="x" label={m.dismiss} onClick={close(() => end(id))} />
    </li>
  )
}
