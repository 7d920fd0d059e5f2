import { useQuery } from '@tanstack/react-query'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { CompanyLink } from './company.tsx'
import { meansQuery } from './means-query.ts'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'

/** The ways to sign in beside the password. */
export function SignInMeans() {
  const { data: means, error, refetch } = useQuery(meansQuery)
  const changed = () => void refetch()
  if (error) return <Trouble error={error} onRetry={changed} />
  if (!means) return <Skeleton rows={2} />
  return (
    <>
      <SecondFactor means={means} onChanged={changed} />
      <Passkeys means={means} onChanged={changed} />
      <CompanyLink means={means} onChanged={changed} />
    </>
  )
}
