import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { acceptInvitation, lookUpInvitation } from '#resources/invitations/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { pageLanguage } from '../../../lib/locale/language.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { roleMessages } from '../../../messages/app/roles.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { offerFirstSteps } from '../../shell/index.ts'
import { CurrentPasswordField, NameField } from '../account-fields.tsx'
import { AuthHeading, AuthLayout } from '../auth-layout.tsx'
import { isSecondFactorChallenge, OneTimeCodeField } from '../second-factor/second-factor-form.tsx'
import { setupQuery } from '../setup/setup-query.ts'
import { getSignInErrorMessage } from '../sign-in/sign-in-form.tsx'
import { SsoSignInButton } from '../sign-in/sso-sign-in-button.tsx'
import { useCompleteSignIn } from '../sign-in/use-complete-sign-in.ts'
import { getDeviceTimeZone } from '../time-zones.ts'

interface AcceptInvitationFormProps {
  token: string
  invitation: EndpointReply<typeof lookUpInvitation>
  /** The invited person's name where they are signed in already: no proof is needed then. */
  signedInName?: string
}

/**
 * Accepts an invitation. One form serves new and existing accounts, because nobody is told whether
 * there is one. The link alone never signs in to an existing account: that takes its password or a
 * session.
 */
export function AcceptInvitationForm({
  token,
  invitation,
  signedInName,
}: AcceptInvitationFormProps) {
  const { email, role, workspace_name, invited_by_name } = invitation
  const [errorText, setErrorText] = useState<string>()
  const [needsCode, setNeedsCode] = useState(false)
  const passwordField = useRef<HTMLInputElement>(null)
  const { data: setup } = useQuery(setupQuery)
  const allowsPasswords = setup?.password !== false
  const completeSignIn = useCompleteSignIn()
  const send = async ({ name = '', password = '', code = '' }) => {
    setErrorText(undefined)
    const proof = signedInName
      ? {}
      : {
          password,
          timezone: getDeviceTimeZone(),
          locale: pageLanguage,
          ...(name && { name }),
          ...(code && { code }),
        }
    let session: Session
    try {
      const body = { token, ...proof }
      session = await requestEndpoint<typeof acceptInvitation>(
        'POST /internal/invitations/accept',
        { body },
      )
    } catch (error) {
      if (isSecondFactorChallenge(error)) return setNeedsCode(true)
      const isWrong = error instanceof ApiResponseError && error.code === 'invalid_credentials'
      const message = isWrong ? accountMessages.wrongPassword : getSignInErrorMessage(error)
      if (message === undefined || !passwordField.current) throw error
      setErrorText(message)
      passwordField.current.select()
      return
    }
    if (name) offerFirstSteps()
    await completeSignIn(session)
  }
  return (
    <AuthLayout>
      <Form slip label={accountMessages.inviteTitle(workspace_name)} onSubmit={send}>
        <AuthHeading title={accountMessages.inviteTitle(workspace_name)}>
          {accountMessages.inviteWho(invited_by_name, roleMessages[role].inSentence, email)}
        </AuthHeading>
        <FormLine>
          <p className="why">
            {signedInName ? accountMessages.inviteHere(signedInName) : accountMessages.inviteNew}
          </p>
        </FormLine>
        <input type="email" value={email} autoComplete="username" readOnly hidden />
        {!signedInName && allowsPasswords && (
          <>
            <NameField autoFocus hint={accountMessages.inviteNameHint} />
            <CurrentPasswordField
              ref={passwordField}
              hint={accountMessages.invitePasswordHint}
              error={errorText}
            />
          </>
        )}
        {needsCode && <OneTimeCodeField hint={signInMessages.codeWhy} autoFocus />}
        {(signedInName || allowsPasswords) && (
          <FormLine>
            <SubmitButton wide>{accountMessages.inviteDo}</SubmitButton>
          </FormLine>
        )}
        {!signedInName && setup?.company && (
          <SsoSignInButton name={setup.company} invitation={token} />
        )}
      </Form>
    </AuthLayout>
  )
}
