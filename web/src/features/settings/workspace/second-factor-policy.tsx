import { useQuery } from '@tanstack/react-query'
import type { getSignInRule, updateSignInRule } from '#resources/workspace/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { useRight } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { workspaceMessages } from '../../../messages/settings/workspace.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { SectionHeader } from '../settings-header.tsx'

type SecondFactorPolicyValue = 'optional' | 'required'

/** Whether all members of the workspace have to use a second factor. */
export function SecondFactorPolicySettings() {
  const isOwner = useRight('own_workspace')
  const { data, error, refetch } = useQuery({
    queryKey: ['sign-in-rule'],
    queryFn: ({ signal }) =>
      requestEndpoint<typeof getSignInRule>('GET /internal/workspace/sign-in', {}, { signal }),
  })
  const isRequired = data?.second_factor === 'required'
  const savePolicy = async (second_factor: SecondFactorPolicyValue, undo?: () => void) => {
    try {
      const body = { second_factor }
      const saved = await requestEndpoint<typeof updateSignInRule>(
        'PATCH /internal/workspace/sign-in',
        {
          body,
        },
      )
      queryClient.setQueryData(['sign-in-rule'], saved)
      showToast({ text: workspaceMessages.saved, ...(undo && { undo }) })
    } catch (cause) {
      showErrorToast(cause)
    }
  }
  const [next, current] = isRequired
    ? (['optional', 'required'] as const)
    : (['required', 'optional'] as const)
  return (
    <section aria-label={signInMessages.factor}>
      <SectionHeader
        title={signInMessages.factor}
        actions={
          data && (
            <Button
              reason={isOwner ? undefined : signInMessages.demandOwners}
              onClick={() => void savePolicy(next, () => void savePolicy(current))}
            >
              {isRequired ? signInMessages.demandEnd : signInMessages.demand}
            </Button>
          )
        }
      />
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && (
        <div className="sheet-form set-form">
          <FormLine>
            <p>
              {isRequired ? signInMessages.demandOn : signInMessages.demandOff}{' '}
              {data.without > 0 && signInMessages.without(data.without)}
            </p>
            <p className="hint">{signInMessages.demandKeys}</p>
          </FormLine>
        </div>
      )}
    </section>
  )
}
