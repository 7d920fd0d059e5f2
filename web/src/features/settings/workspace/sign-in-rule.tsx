import { useQuery } from '@tanstack/react-query'
import type { getSignInRule, updateSignInRule } from '#resources/workspace/internal.ts'
import { useBoot } from '../../../data/boot.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/sign-in.ts'
import { m as workspace } from '../../../messages/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { FormLine } from '../../../ui/field.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { tell } from '../tell.ts'

type Demand = 'optional' | 'required'

/** Whether everybody here has to show a second factor. */
export function SignInRule() {
  const { role } = useBoot().session.user
  const { data, error, refetch } = useQuery({
    queryKey: ['sign-in-rule'],
    queryFn: ({ signal }) =>
      call<typeof getSignInRule>('GET /internal/workspace/sign-in', {}, { signal }),
  })
  const isOn = data?.second_factor === 'required'
  const demand = async (second_factor: Demand, undo?: () => void) => {
    try {
      const body = { second_factor }
      const now = await call<typeof updateSignInRule>('PATCH /internal/workspace/sign-in', { body })
      queries.setQueryData(['sign-in-rule'], now)
      toast({ text: workspace.saved, ...(undo && { undo }) })
    } catch (thrown) {
      tell(thrown)
    }
  }
  const [to, from] = isOn
    ? (['optional', 'required'] as const)
    : (['required', 'optional'] as const)
  return (
    <section aria-label={m.factor}>
      <Band
        title={m.factor}
        acts={
          data && (
            <Button
              reason={role === 'owner' ? undefined : m.demandOwners}
              onClick={() => void demand(to, () => void demand(from))}
            >
              {isOn ? m.demandEnd : m.demand}
            </Button>
          )
        }
      />
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && (
        <div className="sheet-form set-form">
          <FormLine>
            <p>
              {isOn ? m.demandOn : m.demandOff} {data.without > 0 && m.without(data.without)}
            </p>
            <p className="hint">{m.demandKeys}</p>
          </FormLine>
        </div>
      )}
    </section>
  )
}
