import '../../../styles/settings-form.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { switchWorkspace } from '#accounts/contract.ts'
import type { getSecondFactorStatus } from '#resources/workspace/internal.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Toasts } from '../../../ui/feedback/toasts.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import {
  type AccountSignInMethods,
  Passkeys,
  SecondFactorSettings,
  signInMethodsQuery,
} from '../../settings/index.ts'
import { signOutIfConfirmed } from '../../shell/index.ts'
import { AuthHeading, AuthLayout } from '../auth-layout.tsx'
import { useAsyncAction } from '../use-async-action.tsx'

/**
 * `/second-factor`: the workspace refuses all requests until the session has used a second factor.
 * Then the page continues to `next`.
 */
export function SecondFactorRequired() {
  const status = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) =>
      requestEndpoint<typeof getSecondFactorStatus>(
        'GET /internal/workspace/second-factor',
        {},
        { signal },
      ),
  })
  const { data: methods, error, refetch } = useQuery(signInMethodsQuery)
  const failure = status.error ?? error
  const reload = () => {
    void status.refetch()
    void refetch()
  }
  return (
    <AuthLayout>
      {failure && <ErrorMessage error={failure} onRetry={reload} />}
      {!failure && !(status.data && methods) && <Skeleton rows={3} />}
      {status.data && methods && (
        <SecondFactorRequirement status={status.data} methods={methods} onChanged={reload} />
      )}
      <Toasts />
    </AuthLayout>
  )
}

interface SecondFactorRequirementProps {
  status: EndpointReply<typeof getSecondFactorStatus>
  methods: AccountSignInMethods
  onChanged: () => void
}

function SecondFactorRequirement({ status, methods, onChanged }: SecondFactorRequirementProps) {
  const { next = '/start' } = useSearch({ from: '/second-factor' })
  const { history } = useRouter()
  // A second factor that existed before this page was not used in this session: its owner has to
  // sign in again with it.
  const [hadFactor] = useState(
    () => methods.second_factor.enabled_at || methods.passkeys.length > 0,
  )
  const leaving = useAsyncAction()
  const openWorkspace = async (workspace_id: string) => {
    const body = { workspace_id }
    await requestEndpoint<typeof switchWorkspace>('PATCH /internal/session', { body })
    location.assign(`/w/${workspace_id}/my`)
  }
  return (
    <div className="form slip">
      <AuthHeading title={signInMessages.demandTitle(status.name)}>
        {status.is_missing
          ? hadFactor
            ? signInMessages.secondFactorConfirmHint
            : signInMessages.secondFactorSetupHint
          : signInMessages.demandDone}
      </AuthHeading>
      {!hadFactor && (
        <>
          <SecondFactorSettings methods={methods} onChanged={onChanged} />
          <Passkeys methods={methods} onChanged={onChanged} />
        </>
      )}
      <FormLine>
        <div className="acts">
          {!status.is_missing && (
            <Button kind="primary" onClick={() => history.push(next)}>
              {signInMessages.codeDo}
            </Button>
          )}
          {status.is_missing && hadFactor && (
            <Link className="btn primary" to="/sign-in" search={{ next }}>
              {signInMessages.signInWithIt}
            </Link>
          )}
          {status.workspaces.map(({ id, name }) => (
            <Button
              key={id}
              busy={leaving.busy}
              onClick={() => leaving.run(() => openWorkspace(id))}
            >
              {accountMessages.goTo(name)}
            </Button>
          ))}
          <Button kind="plain" busy={leaving.busy} onClick={() => leaving.run(signOutIfConfirmed)}>
            {accountMessages.signOutHere}
          </Button>
        </div>
        {leaving.errorMessage}
      </FormLine>
    </div>
  )
}
