import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { finishSsoSignIn } from '#accounts/internal.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { InlineError } from '../../../ui/feedback/error-message.tsx'
import { AuthLayout, AuthMessage } from '../auth-layout.tsx'
import { redirectIfNoWorkspace } from '../no-workspace/redirect-if-no-workspace.ts'
import { isSecondFactorChallenge, SecondFactorForm } from '../second-factor/second-factor-form.tsx'
import { getDeviceTimeZone } from '../time-zones.ts'
import { takeNextPath } from './sso-sign-in-button.tsx'
import { useCompleteSignIn } from './use-complete-sign-in.ts'

/** `/sign-in/company`: the redirect back from the identity provider, its response in the URL. */
export function SsoCallback() {
  const [error, setError] = useState<unknown>()
  const [next, setNext] = useState<string>()
  const completeSignIn = useCompleteSignIn()
  const navigate = useNavigate()
  const hasStarted = useRef(false)
  useEffect(() => {
    // The response can be redeemed only once: a second run of the effect would use it up.
    if (hasStarted.current) return
    hasStarted.current = true
    const response = new URLSearchParams(location.search)
    const nextPath = takeNextPath()
    setNext(nextPath)
    history.replaceState(history.state, '', location.pathname)
    finishSignIn(response)
      .then((session) => completeSignIn(session, nextPath))
      .catch((cause) => redirectIfNoWorkspace(cause) || setError(cause))
  })
  if (isSecondFactorChallenge(error)) {
    return (
      <AuthLayout>
        <SecondFactorForm
          onSignedIn={(session) => completeSignIn(session, next)}
          onBack={() => navigate({ to: '/sign-in' })}
        />
      </AuthLayout>
    )
  }
  if (error === undefined) return <AuthLayout>{null}</AuthLayout>
  const isCanceled = error instanceof SsoCanceledError
  return (
    <AuthMessage
      title={signInMessages.companyFailed}
      text={isCanceled ? signInMessages.companyStopped : <InlineError error={error} />}
    >
      <Link className="btn primary" to="/sign-in">
        {signInMessages.companyAgain}
      </Link>
    </AuthMessage>
  )
}

/** The person or the identity provider canceled the sign-in. */
class SsoCanceledError extends Error {}

function finishSignIn(response: URLSearchParams) {
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => response.get(name) ?? undefined)
  if (code === undefined || state === undefined) return Promise.reject(new SsoCanceledError())
  const body = { code, state, ...(iss !== undefined && { iss }), timezone: getDeviceTimeZone() }
  return requestEndpoint<typeof finishSsoSignIn>('POST /internal/company-sign-in/finish', { body })
}
