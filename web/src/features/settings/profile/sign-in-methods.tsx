import { useQuery } from '@tanstack/react-query'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactorSettings } from './second-factor-settings.tsx'
import { signInMethodsQuery } from './sign-in-methods-query.ts'
import { SsoLink } from './sso-link.tsx'

/**
 * The ways to sign in besides the password. They stay on the screen when a later read fails: they
 * may show recovery codes, which the server never returns again.
 */
export function SignInMethods() {
  const { data: methods, error, refetch } = useQuery(signInMethodsQuery)
  const reload = () => void refetch()
  return (
    <>
      {error && <ErrorMessage error={error} onRetry={reload} />}
      {!methods && !error && <Skeleton rows={2} />}
      {methods && (
        <>
          <SecondFactorSettings methods={methods} onChanged={reload} />
          <Passkeys methods={methods} onChanged={reload} />
          <SsoLink methods={methods} onChanged={reload} />
        </>
      )}
    </>
  )
}
