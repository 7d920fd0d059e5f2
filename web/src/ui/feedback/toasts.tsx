import './toasts.css'
import { useRef } from 'react'
import {
  endToast,
  holdToast,
  resumeToast,
  type Toast,
  toasts,
  undoToast,
} from '../../data/app/toasts.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { Button, IconButton } from '../form/button.tsx'
import { Icon } from '../marks/icon.tsx'
import { StatusMark } from '../marks/status-mark.tsx'
import { RequestIdButton } from './error-message.tsx'

/** The open toasts; mounted once in the app. */
export function Toasts() {
  const shown = useAtom(toasts)
  const focusOrigin = useRef<HTMLElement | null>(null)
  const restoreFocus = () => focusOrigin.current?.focus({ preventScroll: true })
  return (
    // Dialogs make the rest of the page inert; undo buttons must stay reachable.
    <section className="toasts" aria-label={uiMessages.messages} data-react-aria-top-layer="true">
      <ul aria-live="polite" aria-relevant="additions">
        {shown.map((one) => (
          <ToastItem
            key={one.id}
            toast={one}
            onEnter={(from) => {
              focusOrigin.current = from
            }}
            onLeave={restoreFocus}
          />
        ))}
      </ul>
    </section>
  )
}

interface ToastItemProps {
  toast: Toast
  /** Called when the focus enters the toasts, with the element that had it. */
  onEnter: (from: HTMLElement) => void
  /** Called when a button closes the toast, which loses the focus. */
  onLeave: () => void
}

function ToastItem({ toast, onEnter, onLeave }: ToastItemProps) {
  const { id, text, tone, action, request_id } = toast
  const runAndLeave = (run: () => void) => () => {
    run()
    onLeave()
  }
  return (
    <li
      className="toast float"
      data-tone={tone}
      onPointerEnter={() => holdToast(id)}
      onPointerLeave={({ currentTarget }) => {
        if (!currentTarget.contains(document.activeElement)) resumeToast(id)
      }}
      onFocus={({ relatedTarget, currentTarget }) => {
        holdToast(id)
        const outside =
          relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)
        if (outside && !relatedTarget.closest('.toasts')) onEnter(relatedTarget)
      }}
      onBlur={({ currentTarget }) => {
        if (!currentTarget.matches(':hover')) resumeToast(id)
      }}
    >
      {tone === 'done' ? <StatusMark mark="done" /> : <Icon name="warning" />}
      <span>{text}</span>
      {request_id && <RequestIdButton id={request_id} />}
      {action && (
        <Button kind="plain" onClick={runAndLeave(action.run)}>
          {action.label}
        </Button>
      )}
      {toast.undo && (
        <Button kind="plain" keys="mod+z" onClick={runAndLeave(() => undoToast(id))}>
          {uiMessages.undo}
        </Button>
      )}
      <IconButton icon="x" label={uiMessages.dismiss} onClick={runAndLeave(() => endToast(id))} />
    </li>
  )
}
