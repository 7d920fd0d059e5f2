import { useQuery } from '@tanstack/react-query'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactorSettings } from './second-factor-settings.tsx'
import { signInMethodsQuery } from './sign-in-methods-query.ts'
import { SsoLink } from './sso-link.tsx'

/** The ways to sign in besides the password. */
export function SignInMethods() {
  const { data: methods, error, refetch } = useQuery(signInMethodsQuery)
  const reload = () => void refetch()
  if (error) return <ErrorMessage error={error} onRetry={reload} />
  if (!methods) return <Skeleton rows={2} />
  return (
    <>
      <SecondFactorSettings methods={methods} onChanged={reload} />
      <Passkeys methods={methods} onChanged={reload} />
      <SsoLink methods={methods} onChanged={reload} />
    </>
  )
}
