import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { completePasswordReset } from '#accounts/contract.ts'
import type { listAccountAccess } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { CheckField, FormLine } from '../../../ui/form/form-field.tsx'
import { NewPasswordField } from '../account-fields.tsx'
import { AuthHeading, AuthLayout, AuthMessage } from '../auth-layout.tsx'
import { redirectIfNoWorkspace } from '../no-workspace/redirect-if-no-workspace.ts'
import { isSecondFactorChallenge, SecondFactorForm } from '../second-factor/second-factor-form.tsx'
import { useCompleteSignIn } from './use-complete-sign-in.ts'

/** `/reset/:token`: sets a new password with the link from the mail. */
export function ResetPassword() {
  const { token } = useParams({ from: '/reset/$token' })
  const [isExpired, setExpired] = useState(false)
  const [needsCode, setNeedsCode] = useState(false)
  const navigate = useNavigate()
  const completeSignIn = useCompleteSignIn()
  // Whatever goes on after a new password is listed in the profile.
  const enter = async (session: Session) => {
    const { data } = await requestEndpoint<typeof listAccountAccess>(
      'GET /internal/account/access',
      {},
    )
    const profile = `/w/${session.workspace.id}/settings/profile`
    await completeSignIn(session, data.length > 0 ? profile : undefined)
  }
  const send = async ({ password = '', revoke_access = '' }) => {
    try {
      const body = { token, password, ...(revoke_access && { revoke_access: true }) }
      await enter(
        await requestEndpoint<typeof completePasswordReset>(
          'POST /internal/password-resets/accept',
          { body },
        ),
      )
    } catch (error) {
      if (isSecondFactorChallenge(error)) return setNeedsCode(true)
      if (redirectIfNoWorkspace(error)) return
      if (!(error instanceof ApiResponseError) || error.status !== 404) throw error
      setExpired(true)
    }
  }
  if (isExpired) {
    return (
      <AuthMessage title={accountMessages.expired} text={accountMessages.resetExpiredWhy}>
        <Link className="btn primary" to="/forgot">
          {accountMessages.anotherLink}
        </Link>
      </AuthMessage>
    )
  }
  if (needsCode) {
    return (
      <AuthLayout>
        <SecondFactorForm onSignedIn={enter} onBack={() => navigate({ to: '/sign-in' })} />
      </AuthLayout>
    )
  }
  return (
    <AuthLayout>
      <Form slip label={accountMessages.reset} onSubmit={send}>
        <AuthHeading title={accountMessages.reset}>{accountMessages.resetWhy}</AuthHeading>
        <NewPasswordField autoFocus />
        <FormLine>
          <CheckField name="revoke_access" hint={accountMessages.revokeAccessWhy}>
            {accountMessages.revokeAccess}
          </CheckField>
        </FormLine>
        <FormLine>
          <SubmitButton wide>{accountMessages.resetDo}</SubmitButton>
        </FormLine>
      </Form>
    </AuthLayout>
  )
}
