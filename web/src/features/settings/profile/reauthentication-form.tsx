import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { TextField } from '../../../ui/form/form-field.tsx'
import { OneTimeCodeField } from '../../accounts/index.ts'
import type { AccountSignInMethods } from './sign-in-methods-query.ts'

interface ReauthenticationFormProps {
  label: string
  /** The text of the button, by default the label. */
  action?: string
  methods: AccountSignInMethods
  /** Whether the form asks for a second-factor code, too. */
  code?: boolean
  send: (body: { code: string; current_password?: string }) => Promise<void>
  onCancel: () => void
}

/** Asks for the current password, if the account has one, before the ways to sign in change. */
export function ReauthenticationForm({
  label,
  action = label,
  methods,
  code,
  send,
  onCancel,
}: ReauthenticationFormProps) {
  const submit = ({ code: typedCode = '', current_password = '' }) =>
    send({ code: typedCode, ...(current_password && { current_password }) })
  return (
    <Form className="set-form" label={label} onSubmit={submit}>
      {methods.has_password && (
        <TextField
          label={signInMessages.current}
          name="current_password"
          type="password"
          autoComplete="current-password"
          hint={signInMessages.currentWhy}
          autoFocus
          required
        />
      )}
      {code && <OneTimeCodeField hint={signInMessages.codeWhy} autoFocus={!methods.has_password} />}
      <FormActions onCancel={onCancel}>
        <SubmitButton>{action}</SubmitButton>
      </FormActions>
    </Form>
  )
}
