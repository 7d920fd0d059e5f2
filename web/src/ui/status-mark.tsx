import { type ButtonHTMLAttributes, useState } from 'react'
import { Drawing } from './drawing.tsx'
import type { Stamp } from './stamp.ts'

interface Props {
  mark: Stamp
  /** Name of the status; without it the mark is silent, for its name stands beside it. */
  label?: string
  big?: boolean
}

/** The stamp of a status, to be looked at. */
export function StatusMark({ mark, label, big }: Props) {
  const fresh = useFresh(mark)
  return (
    <span className={big ? 'st big' : 'st'} data-s={mark} data-fresh={fresh || undefined}>
      <Glyph mark={mark} {...(label !== undefined && { label })} />
    </span>
  )
}

type ButtonProps = Props & { label: string } & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'>

/** The stamp as a button; `label` is the whole name, e.g. "In progress. Change status of DOC-118". */
export function StatusButton({ mark, label, big, className = '', ...rest }: ButtonProps) {
  const fresh = useFresh(mark)
  return (
    <button
      type="button"
      className={`st ${big ? 'big' : ''} ${className}`}
      data-s={mark}
      data-fresh={fresh || undefined}
      aria-label={label}
      {...rest}
    >
      <Glyph mark={mark} />
    </button>
  )
}

/** The drawing alone, for menus and pickers. */
export function Glyph({ mark, label }: { mark: Stamp; label?: string }) {
  return (
    <Drawing className="i" label={label}>
      {mark === 'done' ? (
        <>
          <path d="M12.9 5.2A5.8 5.8 0 1 1 9.9 2.5" strokeWidth="1.5" />
          <path d="m4.9 7.6 2.9 3 6-7.6" strokeWidth="1.9" />
        </>
      ) : (
        <circle cx="8" cy="8" r="5.5" {...RINGS[mark]} />
      )}
      {mark === 'in_progress' && (
        <path d="M8 4.6a3.4 3.4 0 0 1 0 6.8z" fill="currentColor" stroke="none" />
      )}
      {mark === 'in_review' && <circle cx="8" cy="8" r="2.1" fill="currentColor" stroke="none" />}
      {mark === 'canceled' && <path d="m4.5 11.5 7-7" strokeWidth="1.5" />}
    </Drawing>
  )
}

const RINGS: Partial<Record<Stamp, { strokeDasharray?: string; strokeWidth: number }>> = {
  backlog: { strokeDasharray: '1.5 1.96', strokeWidth: 1.6 },
  todo: { strokeWidth: 1.5 },
  in_progress: { strokeWidth: 1.5 },
  in_review: { strokeWidth: 1.5 },
  canceled: { strokeWidth: 1.5 },
}

/** Whether the mark changed before the viewer's eyes: only then is it pressed in, not when a list scrolls. */
function useFresh(mark: Stamp): boolean {
  const [was, note] = useState({ mark, fresh: false })
  if (was.mark !== mark) note({ mark, fresh: true })
  return was.fresh
}
