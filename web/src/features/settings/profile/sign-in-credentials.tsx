import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { sendEmailConfirmation } from '#accounts/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { saveAccount } from '../../../data/session/save-account.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { CheckField, FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { signInMethodsQuery } from './sign-in-methods-query.ts'

/** Email and password; a change of either requires the current password. */
export function SignInCredentials() {
  const {
    session: { user },
    settings,
  } = useBoot('session', 'settings')
  const [formKey, setFormKey] = useState(0)
  const [hasNewPassword, setHasNewPassword] = useState(false)
  const send = async ({ email = '', password = '', current_password = '', revoke_access = '' }) => {
    const isNewEmail = email.trim().toLowerCase() !== user.email
    await saveAccount({
      ...(isNewEmail && { email }),
      ...(password !== '' && { password }),
      ...(current_password !== '' && { current_password }),
      ...(revoke_access !== '' && { revoke_access: true }),
    })
    // A new password ends the other sessions, and other access if the person says so. A new key for
    // the form empties its fields.
    void queryClient.invalidateQueries()
    setHasNewPassword(false)
    setFormKey((previous) => previous + 1)
    const isSent = isNewEmail && settings.mail
    if (password !== '') {
      showToast({ text: settingsMessages.passwordChanged })
      // What goes on all the same is listed there.
      document.getElementById('access')?.scrollIntoView()
    } else if (isSent) showToast({ text: settingsMessages.linkSent(email) })
    else showToast({ text: settingsMessages.accountSaved })
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
        {settings.mail && <EmailConfirmation />}
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

/** Says which address waits for its confirmation, and sends the link again. */
function EmailConfirmation() {
  const { user } = useBoot('session').session
  const { data: methods } = useQuery(signInMethodsQuery)
  const email = methods?.email
  if (!email || (email.confirmed && email.sent_to === null)) return null
  const sendAgain = async () => {
    try {
      const address = 'POST /internal/account/email-confirmation/link'
      await requestEndpoint<typeof sendEmailConfirmation>(address, { body: {} })
      showToast({ text: settingsMessages.linkSent(email.sent_to ?? user.email ?? '') })
      await queryClient.invalidateQueries(signInMethodsQuery)
    } catch (error) {
      showErrorToast(error)
    }
  }
  return (
    <FormLine>
      <p className="hint">
        {email.sent_to === null
          ? settingsMessages.unconfirmed
          : settingsMessages.linkSent(email.sent_to)}
      </p>
      <Button onClick={() => void sendAgain()}>{settingsMessages.sendLink}</Button>
    </FormLine>
  )
}
