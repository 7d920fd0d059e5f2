import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { requestPasswordReset } from '#accounts/contract.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { EmailField } from '../account-fields.tsx'
import { AuthHeading, AuthLayout, AuthMessage } from '../auth-layout.tsx'

/** `/forgot`: requests a reset link by mail. It never reveals whether an account exists. */
export function ForgotPassword() {
  const [sentTo, setSentTo] = useState<string>()
  const send = async ({ email = '' }) => {
    await requestEndpoint<typeof requestPasswordReset>('POST /internal/password-resets', {
      body: { email },
    })
    setSentTo(email.trim())
  }
  if (sentTo !== undefined) {
    return (
      <AuthMessage title={accountMessages.sent} text={accountMessages.sentWhy(sentTo)}>
        <p>{accountMessages.noMail}</p>
        <Link className="btn" to="/sign-in">
          {accountMessages.backToSignIn}
        </Link>
      </AuthMessage>
    )
  }
  return (
    <AuthLayout>
      <Form slip label={accountMessages.forgot} onSubmit={send}>
        <AuthHeading title={accountMessages.forgot}>{accountMessages.forgotWhy}</AuthHeading>
        <EmailField autoFocus />
        <FormLine>
          <SubmitButton wide>{accountMessages.forgotDo}</SubmitButton>
        </FormLine>
        <FormLine>
          <p>
            <Link to="/sign-in">{accountMessages.backToSignIn}</Link>
          </p>
        </FormLine>
      </Form>
    </AuthLayout>
  )
}
