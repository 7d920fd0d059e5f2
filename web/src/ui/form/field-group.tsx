import { type ReactNode, useId } from 'react'

interface FieldGroupProps {
  label: string
  /** Groups radio buttons instead of checkboxes. */
  radio?: boolean
  hint?: ReactNode
  error?: string | undefined
  children: ReactNode
}

/** A line of a form with several options under one label, which screen readers announce first. */
export function FieldGroup({ label, radio, hint, error, children }: FieldGroupProps) {
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
