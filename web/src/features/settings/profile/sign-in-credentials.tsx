import { useState } from 'react'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { CheckField, FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { saveAccount } from './save-account.ts'

/** Email and password; a change of either requires the current password. */
export function SignInCredentials() {
  const { user } = useBoot('session').session
  const [formKey, setFormKey] = useState(0)
  const [hasNewPassword, setHasNewPassword] = useState(false)
  const send = async ({ email = '', password = '', current_password = '', revoke_access = '' }) => {
    await saveAccount({
      ...(email.trim().toLowerCase() !== user.email && { email }),
      ...(password !== '' && { password }),
      ...(current_password !== '' && { current_password }),
      ...(revoke_access !== '' && { revoke_access: true }),
    })
    // A new password ends the other sessions, and other access if the person says so. A new key for
    // the form empties its fields.
    void queryClient.invalidateQueries()
    setHasNewPassword(false)
    setFormKey((previous) => previous + 1)
    showToast({
      text: password === '' ? settingsMessages.accountSaved : settingsMessages.passwordChanged,
    })
  }
  return (
    <section aria-label={settingsMessages.signIn}>
      <SectionHeader title={settingsMessages.signIn} />
      <Form
        key={formKey}
        className="set-form"
        guard="typed"
        label={settingsMessages.signIn}
        onSubmit={send}
      >
        <TextField
          label={settingsMessages.email}
          name="email"
          type="email"
          defaultValue={user.email ?? ''}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <TextField
          label={settingsMessages.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={settingsMessages.passwordHint}
          onChange={({ target }) => setHasNewPassword(target.value !== '')}
        />
        {hasNewPassword && (
          <FormLine>
            <CheckField name="revoke_access" hint={accountMessages.revokeAccessWhy}>
              {accountMessages.revokeAccess}
            </CheckField>
          </FormLine>
        )}
        <TextField
          label={settingsMessages.currentPassword}
          name="current_password"
          type="password"
          autoComplete="current-password"
          hint={settingsMessages.currentWhy}
        />
        <FormActions>
          <SubmitButton>{settingsMessages.save}</SubmitButton>
        </FormActions>
      </Form>
    </section>
  )
}
