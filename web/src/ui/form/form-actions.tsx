import type { ReactNode } from 'react'
import { uiMessages } from '../../messages/app/ui.ts'
import { Button } from './button.tsx'
import { FormLine } from './form-field.tsx'

interface FormActionsProps {
  /** Shows a cancel button that leaves the form unsaved. */
  onCancel?: () => void
  /** The submit button. */
  children: ReactNode
}

/** The buttons under the fields of a form. */
export const FormActions = ({ onCancel, children }: FormActionsProps) => (
  <FormLine>
    <div className="acts">
      {children}
      {onCancel && (
        <Button kind="plain" onClick={onCancel}>
          {uiMessages.cancel}
        </Button>
      )}
    </div>
  </FormLine>
)
