import { type ReactNode, type Ref, useRef, useState } from 'react'
import type { verifySecondFactor } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { AuthHeading } from '../auth-layout.tsx'
import { redirectIfNoWorkspace } from '../no-workspace/redirect-if-no-workspace.ts'
import { getThrottleMessage } from '../sign-in/throttle-message.ts'

/** Whether the server accepted the first factor and now asks for the second one. */
export const isSecondFactorChallenge = (error: unknown): boolean =>
  error instanceof ApiResponseError && error.code === 'second_factor_required'

interface SecondFactorFormProps {
  onSignedIn: (session: Session) => void | Promise<void>
  /** Returns to the first step; `why` is set when the sign-in took too long and has expired. */
  onBack: (why?: string) => void
}

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
export function SecondFactorForm({ onSignedIn, onBack }: SecondFactorFormProps) {
  const [errorText, setErrorText] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const send = async ({ code = '' }) => {
    setErrorText(undefined)
    let session: Session
    try {
      const body = { code }
      session = await requestEndpoint<typeof verifySecondFactor>(
        'POST /internal/session/second-factor',
        {
          body,
        },
      )
    } catch (error) {
      if (redirectIfNoWorkspace(error)) return
      if (error instanceof ApiResponseError && error.code === 'sign_in_over')
        return onBack(signInMessages.codeOver)
      const isWrong = error instanceof ApiResponseError && error.code === 'invalid_credentials'
      const message = isWrong ? signInMessages.codeWrong : getThrottleMessage(error)
      if (message === undefined) throw error
      setErrorText(message)
      field.current?.select()
      return
    }
    await onSignedIn(session)
  }
  return (
    <Form slip label={signInMessages.codeTitle} onSubmit={send}>
      <AuthHeading title={signInMessages.codeTitle}>{signInMessages.codeWhy}</AuthHeading>
      <OneTimeCodeField ref={field} error={errorText} autoFocus />
      <FormLine>
        <SubmitButton wide>{signInMessages.codeDo}</SubmitButton>
      </FormLine>
      <FormLine>
        <p className="acts">
          <Button kind="plain" onClick={() => onBack()}>
            {signInMessages.back}
          </Button>
        </p>
      </FormLine>
    </Form>
  )
}

interface OneTimeCodeFieldProps {
  ref?: Ref<HTMLInputElement>
  error?: string | undefined
  hint?: ReactNode
  autoFocus?: boolean
}

/**
 * A field for six digits or a recovery code. `one-time-code` lets phones and password managers
 * fill it in.
 */
export const OneTimeCodeField = (props: OneTimeCodeFieldProps) => (
  <TextField
    {...props}
    label={signInMessages.code}
    name="code"
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={40}
    required
  />
)
