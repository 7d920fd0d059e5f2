import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { confirmEmail } from '#accounts/internal.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { consentMessages } from '../../../messages/accounts/consent.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { AuthHeading, AuthLayout, AuthMessage } from '../auth-layout.tsx'

/**
 * `/confirm-email/:token`: confirms an email address with the link from the mail. It is redeemed by
 * the button and not on load: a preview of the link must not use it up.
 */
export function ConfirmEmail() {
  const { token } = useParams({ from: '/confirm-email/$token' })
  const [result, setResult] = useState<'confirmed' | 'expired'>()
  const send = async () => {
    try {
      await requestEndpoint<typeof confirmEmail>('POST /internal/account/email-confirmation', {
        body: { token },
      })
      setResult('confirmed')
    } catch (error) {
      if (!(error instanceof ApiResponseError)) throw error
      if (error.status === 401) {
        location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`)
        return
      }
      if (error.status !== 404) throw error
      setResult('expired')
    }
  }
  if (result) {
    const isConfirmed = result === 'confirmed'
    return (
      <AuthMessage
        title={isConfirmed ? accountMessages.emailConfirmed : accountMessages.expired}
        text={isConfirmed ? '' : accountMessages.confirmExpiredWhy}
      >
        <Link className="btn primary" to="/start">
          {consentMessages.toWork}
        </Link>
      </AuthMessage>
    )
  }
  return (
    <AuthLayout>
      <Form slip label={accountMessages.confirmEmail} onSubmit={send}>
        <AuthHeading title={accountMessages.confirmEmail}>
          {accountMessages.confirmEmailWhy}
        </AuthHeading>
        <FormLine>
          <SubmitButton wide autoFocus>
            {accountMessages.confirmEmail}
          </SubmitButton>
        </FormLine>
      </Form>
    </AuthLayout>
  )
}
