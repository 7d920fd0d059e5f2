import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { signIn } from '#accounts/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { isPasskeySupported } from '../../../lib/browser/passkey.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { CurrentPasswordField, EmailField } from '../account-fields.tsx'
import { redirectIfNoWorkspace } from '../no-workspace/redirect-if-no-workspace.ts'
import { isSecondFactorChallenge, SecondFactorForm } from '../second-factor/second-factor-form.tsx'
import { setupQuery } from '../setup/setup-query.ts'
import { PasskeySignInButton } from './passkey-sign-in-button.tsx'
import { SsoSignInButton } from './sso-sign-in-button.tsx'
import { getThrottleMessage } from './throttle-message.ts'

interface SignInFormProps {
  head: ReactNode
  /** Fixes the account to sign in to; without it the form has a field for the email address. */
  email?: string
  /** Prefills the email address; the person can change it. */
  hint?: string
  /** The workspace to sign in to; by default the one that was used last. */
  workspaceId?: string
  onSignedIn: (session: Session) => void | Promise<void>
  /** The path to open after a sign-in with the company's identity provider. */
  next?: string
  /** Whether the form lies over a page that stays: single sign-on opens another tab then. */
  inDialog?: boolean
  children?: ReactNode
}

/** Asks for email and password. As the server does, it never reveals which of the two is wrong. */
export function SignInForm(props: SignInFormProps) {
  const { head, email, hint, workspaceId, onSignedIn, next, inDialog, children } = props
  const { data: setup } = useQuery(setupQuery)
  const providerName = setup?.company
  const [errorText, setErrorText] = useState<string>()
  const [needsCode, setNeedsCode] = useState(false)
  const passwordField = useRef<HTMLInputElement>(null)
  const send = async (values: Record<string, string>) => {
    setErrorText(undefined)
    let session: Session
    try {
      const body = {
        email: email ?? values.email ?? '',
        password: values.password ?? '',
        ...(workspaceId && { workspace_id: workspaceId }),
      }
      session = await requestEndpoint<typeof signIn>('POST /internal/session', { body })
    } catch (error) {
      if (isSecondFactorChallenge(error)) return setNeedsCode(true)
      if (redirectIfNoWorkspace(error)) return
      const message = getSignInErrorMessage(error)
      if (message === undefined) throw error
      setErrorText(message)
      passwordField.current?.select()
      return
    }
    await onSignedIn(session)
  }
  const returnToPassword = (why?: string) => {
    setErrorText(why)
    setNeedsCode(false)
  }
  if (needsCode) return <SecondFactorForm onSignedIn={onSignedIn} onBack={returnToPassword} />
  const ssoButton =
    providerName &&
    (inDialog ? (
      <SsoInNewTab name={providerName} />
    ) : (
      <SsoSignInButton name={providerName} next={next} />
    ))
  if (setup?.password === false) {
    return (
      <div className="form slip">
        {head}
        {ssoButton}
      </div>
    )
  }
  return (
    <Form slip label={accountMessages.signIn} onSubmit={send}>
      {head}
      {email === undefined ? (
        <EmailField passkeys autoFocus={hint === undefined} {...(hint && { defaultValue: hint })} />
      ) : (
        <input type="email" name="email" value={email} autoComplete="username" readOnly hidden />
      )}
      <CurrentPasswordField
        ref={passwordField}
        error={errorText}
        autoFocus={(email ?? hint) !== undefined}
      />
      <FormLine>
        <SubmitButton wide>{accountMessages.signIn}</SubmitButton>
      </FormLine>
      {setup?.passkeys && isPasskeySupported() && (
        <PasskeySignInButton
          withAutofill={email === undefined}
          workspaceId={workspaceId}
          onSignedIn={onSignedIn}
        />
      )}
      {ssoButton}
      {children}
    </Form>
  )
}

/** Single sign-on in another tab, which broadcasts the new session: this page must not be left. */
const SsoInNewTab = ({ name }: { name: string }) => (
  <FormLine>
    <a className="btn wide" href="/sign-in" target="_blank" rel="noreferrer">
      {signInMessages.continueElsewhere(name)}
    </a>
  </FormLine>
)

/** The message for wrong credentials or too many attempts; undefined for all other errors. */
export function getSignInErrorMessage(error: unknown): string | undefined {
  const isWrong = error instanceof ApiResponseError && error.code === 'invalid_credentials'
  return isWrong ? accountMessages.wrong : getThrottleMessage(error)
}
