import { type ReactNode, useId } from 'react'

interface Props {
  label: string
  /** One of several, or some of them. */
  radio?: boolean
  hint?: ReactNode
  error?: string | undefined
  children: ReactNode
}

/** A line of a form with several boxes under one label, which a screen reader tells before them. */
export function GroupLine({ label, radio, hint, error, children }: Props) {
  const id = useId()
  const group = { role: radio ? 'radiogroup' : 'group', 'aria-labelledby': id }
  return (
    <div className="line">
      <span className="gut word" id={id}>
        {label}
      </span>
      <div className="control" {...group}>
        {children}
        {error !== undefined && <p className="error">{error}</p>}
        {hint !== undefined && <p className="hint">{hint}</p>}
      </div>
    </div>
  )
}
