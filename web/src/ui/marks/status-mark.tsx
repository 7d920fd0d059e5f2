import { type ButtonHTMLAttributes, useRef } from 'react'
import { Drawing } from './drawing.tsx'
import type { StatusMarkName } from './status-mark-name.ts'

interface StatusMarkProps {
  mark: StatusMarkName
  /** The status name; without it the mark is hidden from screen readers beside its name. */
  label?: string
  big?: boolean
  /** Whose status it is, where one element shows one task after another. */
  of?: string
}

/** The symbol of a status. */
export function StatusMark({ mark, label, big, of = '' }: StatusMarkProps) {
  const hasChanged = useHasChanged(mark, of)
  return (
    <span className={big ? 'st big' : 'st'} data-s={mark} data-fresh={hasChanged || undefined}>
      <StatusGlyph mark={mark} {...(label !== undefined && { label })} />
    </span>
  )
}

type StatusButtonProps = StatusMarkProps & { label: string } & Omit<
    ButtonHTMLAttributes<HTMLButtonElement>,
    'type'
  >

/** The symbol as a button; `label` is the full name: "In progress. Change status of DOC-118". */
export function StatusButton({
  mark,
  label,
  big,
  of = '',
  className = '',
  ...rest
}: StatusButtonProps) {
  const hasChanged = useHasChanged(mark, of)
  return (
    <button
      type="button"
      className={`st ${big ? 'big' : ''} ${className}`}
      data-s={mark}
      data-fresh={hasChanged || undefined}
      aria-label={label}
      {...rest}
    >
      <StatusGlyph mark={mark} />
    </button>
  )
}

/** The bare drawing, for menus and pickers. */
export function StatusGlyph({ mark, label }: { mark: StatusMarkName; label?: string }) {
  return (
    <Drawing className="i" label={label}>
      {mark === 'done' ? (
        <>
          <path d="M12.9 5.2A5.8 5.8 0 1 1 9.9 2.5" strokeWidth="1.5" />
          <path d="m4.9 7.6 2.9 3 6-7.6" strokeWidth="1.9" />
        </>
      ) : (
        <circle cx="8" cy="8" r="5.5" {...RING_STROKES[mark]} />
      )}
      {mark === 'in_progress' && (
        <path d="M8 4.6a3.4 3.4 0 0 1 0 6.8z" fill="currentColor" stroke="none" />
      )}
      {mark === 'in_review' && <circle cx="8" cy="8" r="2.1" fill="currentColor" stroke="none" />}
      {mark === 'canceled' && <path d="m4.5 11.5 7-7" strokeWidth="1.5" />}
    </Drawing>
  )
}

const RING_STROKES: Partial<
  Record<StatusMarkName, { strokeDasharray?: string; strokeWidth: number }>
> = {
  backlog: { strokeDasharray: '1.5 1.96', strokeWidth: 1.6 },
  todo: { strokeWidth: 1.5 },
  in_progress: { strokeWidth: 1.5 },
  in_review: { strokeWidth: 1.5 },
  canceled: { strokeWidth: 1.5 },
}

/** Whether the mark changed while mounted: only then it is animated, not when a list scrolls. */
function useHasChanged(mark: StatusMarkName, of: string): boolean {
  const shown = useRef({ mark, of, changed: false })
  const { current } = shown
  if (current.of !== of) shown.current = { mark, of, changed: false }
  else if (current.mark !== mark) shown.current = { mark, of, changed: true }
  return shown.current.changed
}
