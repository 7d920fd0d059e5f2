import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { signInWithLink } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { AuthHeading, AuthLayout } from '../auth-layout.tsx'
import { redirectIfNoWorkspace } from '../no-workspace/redirect-if-no-workspace.ts'
import { isSecondFactorChallenge, SecondFactorForm } from '../second-factor/second-factor-form.tsx'
import { setupQuery } from '../setup/setup-query.ts'
import { SignInForm } from './sign-in-form.tsx'
import { useCompleteSignIn } from './use-complete-sign-in.ts'

/**
 * `/sign-in`: continues to `next`, which is a path of this origin. An installation without accounts
 * redirects to the sign-up.
 */
export function SignIn() {
  const { next, again, hint } = useSearch({ from: '/sign-in' })
  const { data: setup } = useQuery(setupQuery)
  const client = useQueryClient()
  const completeSignIn = useCompleteSignIn()
  const [linkToken, setLinkToken] = useState(() => /^#link=([\w-]+)$/.exec(location.hash)?.[1])
  const [isLinkExpired, setLinkExpired] = useState(false)
  const allowsSignUp = setup?.signup === 'open'
  // A request for a certain page means that the person has an account.
  if (allowsSignUp && !setup.initialized && next === undefined) {
    return <Navigate to="/sign-up" replace />
  }
  // A sign-in with the credentials that the first start printed leads to the setup.
  const onSignedIn = async (session: Session) => {
    // A failure of this query must not stop somebody who has signed in.
    const currentSetup = setup ?? (await client.ensureQueryData(setupQuery).catch(() => undefined))
    await completeSignIn(session, currentSetup?.initialized === false ? '/setup' : next)
  }
  if (linkToken) {
    const dropLink = () => {
      setLinkToken(undefined)
      setLinkExpired(true)
    }
    return (
      <AuthLayout>
        <SignInLinkForm token={linkToken} onSignedIn={onSignedIn} onExpired={dropLink} />
      </AuthLayout>
    )
  }
  const why = isLinkExpired ? signInMessages.linkOver : again && accountMessages.againWhy
  return (
    <AuthLayout>
      <SignInForm
        head={<AuthHeading title={accountMessages.signIn}>{why}</AuthHeading>}
        {...(next && { next })}
        {...(hint && { hint })}
        onSignedIn={onSignedIn}
      >
        <FormLine>
          <p className="acts">
            {setup?.password !== false && <Link to="/forgot">{accountMessages.forgotLink}</Link>}
            {allowsSignUp && <Link to="/sign-up">{accountMessages.createLink}</Link>}
          </p>
        </FormLine>
      </SignInForm>
    </AuthLayout>
  )
}

interface SignInLinkFormProps {
  token: string
  onSignedIn: (session: Session) => void | Promise<void>
  /** Called when the link was used already, has expired or never existed. */
  onExpired: () => void
}

/**
 * Signs in with a one-time link that the operator has printed. It is redeemed by the button and not
 * on load: a preview of the link must not use it up.
 */
function SignInLinkForm({ token, onSignedIn, onExpired }: SignInLinkFormProps) {
  const [needsCode, setNeedsCode] = useState(false)
  const send = async () => {
    let session: Session
    try {
      const body = { token }
      session = await requestEndpoint<typeof signInWithLink>('POST /internal/session/link', {
        body,
      })
    } catch (error) {
      if (isSecondFactorChallenge(error)) return setNeedsCode(true)
      if (redirectIfNoWorkspace(error)) return
      if (error instanceof ApiResponseError && error.status === 404) return onExpired()
      throw error
    }
    await onSignedIn(session)
  }
  if (needsCode) return <SecondFactorForm onSignedIn={onSignedIn} onBack={onExpired} />
  return (
    <Form slip label={signInMessages.linkTitle} onSubmit={send}>
      <AuthHeading title={signInMessages.linkTitle}>{signInMessages.linkWhy}</AuthHeading>
      <FormLine>
        <SubmitButton wide autoFocus>
          {signInMessages.linkDo}
        </SubmitButton>
      </FormLine>
    </Form>
  )
}
