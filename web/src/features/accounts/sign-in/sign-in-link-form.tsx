import { useState } from 'react'
import type { signInWithLink } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { AuthHeading } from '../auth-layout.tsx'
import { redirectIfNoWorkspace } from '../no-workspace/redirect-if-no-workspace.ts'
import { isSecondFactorChallenge, SecondFactorForm } from '../second-factor/second-factor-form.tsx'

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
export function SignInLinkForm({ token, onSignedIn, onExpired }: SignInLinkFormProps) {
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
