import './toasts.css'
import { type ReactNode, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { messages, type Toast } from '../../data/app/toasts.ts'
import {
  endToast,
  findRedoable,
  findUndoable,
  holdToast,
  resumeToast,
  reverse,
} from '../../data/app/undo.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { Button, IconButton } from '../form/button.tsx'
import { Icon } from '../marks/icon.tsx'
import { StatusMark } from '../marks/status-mark.tsx'
import { RemedyButton, RequestIdButton } from './error-message.tsx'

/**
 * The open toast; mounted once in the app. `trashLink` leads to the trash, from messages about what
 * is there.
 */
export function Toasts({ trashLink }: { trashLink?: ReactNode }) {
  const open = useAtom(messages).filter(({ isOpen }) => isOpen)
  const focusOrigin = useRef<HTMLElement | null>(null)
  const restoreFocus = () => focusOrigin.current?.focus({ preventScroll: true })
  return (
    // Dialogs make the rest of the page inert; undo buttons must stay reachable.
    <section
      className="toasts"
      aria-label={recordChangeMessages.messages}
      data-react-aria-top-layer="true"
    >
      <ul aria-live="polite" aria-relevant="additions">
        {open.toReversed().map((one) => (
          <ToastItem
            // Another element once it is undone, so that it is read out.
            key={`${one.id} ${one.mode === 'undone'}`}
            toast={one}
            trashLink={trashLink}
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
  trashLink: ReactNode
  /** Called when the focus enters the toasts, with the element that had it. */
  onEnter: (from: HTMLElement) => void
  /** Called when a button closes the toast, which loses the focus. */
  onLeave: () => void
}

function ToastItem({ toast, trashLink, onEnter, onLeave }: ToastItemProps) {
  const { id, tone, action, error } = toast
  const item = useRef<HTMLLIElement>(null)
  const leave = useEffectEvent(onLeave)
  // The focus would be lost with a toast that another one replaces.
  useLayoutEffect(() => {
    const element = item.current
    return () => {
      if (element?.contains(document.activeElement)) leave()
    }
  }, [])
  const runAndLeave = (run: () => void) => () => {
    run()
    onLeave()
  }
  return (
    <li
      className="toast float"
      data-tone={tone}
      ref={item}
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
      <span>{describeMessage(toast)}</span>
      <RequestIdButton error={error} />
      {action && toast.mode !== 'undone' && (
        <Button kind="plain" onClick={runAndLeave(action.run)}>
          {action.label}
        </Button>
      )}
      <RemedyButton
        error={error}
        onDone={runAndLeave(() => endToast(id))}
        onSolved={() => error instanceof ApiResponseError && error.request?.repeat()}
      />
      {toast.isInTrash && toast.mode === 'done' && trashLink}
      <ReverseButton
        message={toast}
        withKeys={id === (toast.mode === 'done' ? findUndoable() : findRedoable())?.id}
        onReversed={onLeave}
      />
      <IconButton icon="x" label={uiMessages.dismiss} onClick={runAndLeave(() => endToast(id))} />
    </li>
  )
}

/** The text of a message: whether its change is undone, and how many subtasks a deletion took along. */
export function describeMessage({ text, mode, undo }: Toast): string {
  if (mode === 'undone') return recordChangeMessages.undone(text)
  const [only] = typeof undo === 'object' ? undo : []
  const change = only?.entry.payload.kind === 'change' ? only.entry.payload.change : undefined
  const subtasks = change?.kind === 'delete' ? change.from.subtask_count : 0
  return subtasks > 0 ? recordChangeMessages.withSubtasks(text, subtasks) : text
}

interface ReverseButtonProps {
  message: Toast
  /** Whether the shortcut is shown, which is for the newest change. */
  withKeys?: boolean
  onReversed?: () => void
}

/** Undoes the change that a message reports, or redoes it. */
export function ReverseButton({ message, withKeys, onReversed }: ReverseButtonProps) {
  if (message.mode === 'final') return null
  const isDone = message.mode === 'done'
  return (
    <Button
      kind="plain"
      {...(withKeys && { keys: isDone ? 'mod+z' : 'mod+shift+z' })}
      onClick={() => {
        reverse(message)
        onReversed?.()
      }}
    >
      {isDone ? uiMessages.undo : uiMessages.redo}
    </Button>
  )
}
