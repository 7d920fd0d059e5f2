import type { beginSsoSignIn } from '#accounts/internal.ts'
import { type CallInput, requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { tabStore } from '../../../lib/state/browser-storage.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { useAsyncAction } from '../use-async-action.tsx'

const NEXT_PATH_KEY = 'docket.next'

/**
 * Reads and clears the path to open after the sign-in with the identity provider. Each tab has its
 * own.
 */
export function takeNextPath(): string | undefined {
  const next = tabStore.read(NEXT_PATH_KEY)
  tabStore.write(NEXT_PATH_KEY, undefined)
  return next
}

/** Leaves the page for the sign-in of the company's identity provider. */
export async function startSsoSignIn(
  body: CallInput<typeof beginSsoSignIn>['body'],
  next: string | undefined,
): Promise<void> {
  const address = 'POST /internal/company-sign-in'
  const { redirect_to } = await requestEndpoint<typeof beginSsoSignIn>(address, { body })
  tabStore.write(NEXT_PATH_KEY, next)
  location.assign(redirect_to)
}

interface SsoSignInButtonProps {
  name: string
  next?: string | undefined
  invitation?: string
}

/** "Continue with …": below the password form, or instead of it where passwords are off. */
export function SsoSignInButton({ name, next, invitation }: SsoSignInButtonProps) {
  const { busy, errorMessage, run } = useAsyncAction()
  const startSignIn = () =>
    run(() => startSsoSignIn({ purpose: 'sign_in', ...(invitation && { invitation }) }, next))
  return (
    <FormLine>
      <Button wide busy={busy} onClick={startSignIn}>
        {signInMessages.continueWith(name)}
      </Button>
      {errorMessage}
    </FormLine>
  )
}
