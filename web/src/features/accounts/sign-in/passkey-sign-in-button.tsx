import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { beginPasskeySignIn, signInWithPasskey } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { isPasskeyAutofillSupported, requestPasskey } from '../../../lib/browser/passkey.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { useAsyncAction } from '../use-async-action.tsx'

interface PasskeySignInButtonProps {
  /** Whether the email field offers passkeys in its suggestions, too. */
  withAutofill: boolean
  workspaceId?: string | undefined
  onSignedIn: (session: Session) => void | Promise<void>
}

/** How often the challenge behind the suggestions is renewed: shortly before it expires. */
const CHALLENGE_INTERVAL_MS = 9 * 60_000

const isSignInExpired = (error: unknown) =>
  error instanceof ApiResponseError && error.code === 'sign_in_over'

const fetchChallenge = () =>
  requestEndpoint<typeof beginPasskeySignIn>('POST /internal/session/passkey/challenge', {
    body: {},
  })

/** Signs in with a passkey: by the button, or by the suggestions of the email field. */
export function PasskeySignInButton({
  withAutofill,
  workspaceId,
  onSignedIn,
}: PasskeySignInButtonProps) {
  const { busy, errorMessage, run } = useAsyncAction()
  const [round, setRound] = useState(0)
  const autofillRequest = useRef<AbortController>(undefined)
  const renew = () => setRound((previous) => previous + 1)
  const signInWith = (credential: Awaited<ReturnType<typeof requestPasskey>>) =>
    run(async () => {
      if (!credential) return renew()
      const body = { ...credential, ...(workspaceId && { workspace_id: workspaceId }) }
      const address = 'POST /internal/session/passkey'
      const signingIn = requestEndpoint<typeof signInWithPasskey>(address, { body })
      // The challenge is void when another tab has fetched one since, or when it has expired. Only
      // then is it renewed: a passkey that was rejected must not be suggested again.
      signingIn.catch((error) => isSignInExpired(error) && renew())
      await onSignedIn(await signingIn)
    })
  const requestAndSignIn = () =>
    run(async () => {
      // A browser handles only one request for credentials at a time.
      autofillRequest.current?.abort()
      await signInWith(await requestPasskey(await fetchChallenge()))
    })
  const onPasskeyChosen = useEffectEvent(signInWith)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round has a challenge of its own
  useEffect(() => {
    if (!withAutofill) return
    const controller = new AbortController()
    autofillRequest.current = controller
    const { signal } = controller
    const suggestion = isPasskeyAutofillSupported().then(async (isSupported) =>
      isSupported && !signal.aborted ? requestPasskey(await fetchChallenge(), signal) : undefined,
    )
    // Without suggestions the button remains, which shows what is wrong.
    suggestion
      .then((credential) => credential && onPasskeyChosen(credential))
      .catch(() => undefined)
    const timer = setTimeout(renew, CHALLENGE_INTERVAL_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [withAutofill, round])
  return (
    <FormLine>
      <Button wide busy={busy} onClick={requestAndSignIn}>
        {signInMessages.byPasskey}
      </Button>
      {errorMessage}
    </FormLine>
  )
}
