import type { ReactNode } from 'react'
import { m } from '../messages/ui.ts'
import { Button } from './button.tsx'
import { FormLine } from './field.tsx'

interface Props {
  /** Leaves the form as it was, where it can be left. */
  onCancel?: () => void
  /** What sends it. */
  children: ReactNode
}

/** The buttons under the fields of a form. */
export const FormActs = ({ onCancel, children }: Props) => (
  <FormLine>
    <div className="acts">
      {children}
      {onCancel && (
        <Button kind="plain" onClick={onCancel}>
          {m.cancel}
        </Button>
      )}
    </div>
  </FormLine>
)
