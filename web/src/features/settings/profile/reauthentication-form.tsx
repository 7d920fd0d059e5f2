import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { ConfirmingPasswordField } from '../../../ui/form/password-confirmation.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { OneTimeCodeField } from '../../accounts/index.ts'
import type { AccountSignInMethods } from './sign-in-methods-query.ts'

interface ReauthenticationFormProps {
  label: string
  /** The text of the button, by default the label. */
  action?: string
  methods: Pick<AccountSignInMethods, 'has_password'>
  /** Whether the form asks for a second-factor code, too. */
  code?: boolean
  danger?: boolean
  send: (body: { code: string; current_password?: string }) => Promise<void>
  onCancel: () => void
}

/** Asks for the current password, if the account has one, before the ways to sign in change. */
export function ReauthenticationForm({
  label,
  action = label,
  methods,
  code,
  danger,
  send,
  onCancel,
}: ReauthenticationFormProps) {
  const submit = ({ code: typedCode = '', current_password = '' }) =>
    send({ code: typedCode, ...(current_password && { current_password }) })
  return (
    <Form className="set-form" label={label} onSubmit={submit}>
      {methods.has_password && <ConfirmingPasswordField />}
      {code && <OneTimeCodeField hint={signInMessages.codeWhy} autoFocus={!methods.has_password} />}
      <FormActions onCancel={onCancel}>
        <SubmitButton {...(danger && { kind: 'danger' })}>{action}</SubmitButton>
      </FormActions>
    </Form>
  )
}

interface ReauthenticationDialogProps
  extends Pick<ReauthenticationFormProps, 'methods' | 'danger' | 'send'> {
  title: string
  text: string
  action: string
}

/** Asks in a dialog for the current password before a way to sign in ends. */
export function openReauthenticationDialog({
  title,
  text,
  send,
  ...form
}: ReauthenticationDialogProps): void {
  openDialog({
    title,
    body: (close) => (
      <>
        <FormLine>
          <p>{text}</p>
        </FormLine>
        <ReauthenticationForm
          {...form}
          label={title}
          onCancel={close}
          send={async (body) => {
            await send(body)
            close()
          }}
        />
      </>
    ),
  })
}
