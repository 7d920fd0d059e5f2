import '../../styles/settings.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { switchWorkspace } from '#accounts/contract.ts'
import type { getMissing } from '#resources/workspace/internal.ts'
import type { Reply } from '#wire/endpoint.ts'
import { signOut } from '../../data/session.ts'
import { call } from '../../lib/call.ts'
import { m as accounts } from '../../messages/accounts.ts'
import { m } from '../../messages/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { FormLine } from '../../ui/field.tsx'
import { Floating } from '../../ui/floating.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { type Means, meansQuery } from '../settings/profile/means-query.ts'
import { Passkeys } from '../settings/profile/passkeys.tsx'
import { SecondFactor } from '../settings/profile/second-factor.tsx'
import { Alone, SlipHead } from './alone.tsx'

/** `/second-factor`: the workspace answers nothing before a second factor was shown; then on to `next`. */
export function Demanded() {
  const asked = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) =>
      call<typeof getMissing>('GET /internal/workspace/second-factor', {}, { signal }),
  })
  const { data: means, error, refetch } = useQuery(meansQuery)
  const trouble = asked.error ?? error
  const again = () => {
    void asked.refetch()
    void refetch()
  }
  return (
    <Alone>
      {trouble && <Trouble error={trouble} onRetry={again} />}
      {!trouble && !(asked.data && means) && <Skeleton rows={3} />}
      {asked.data && means && <Slip here={asked.data} means={means} onChanged={again} />}
      <Toasts />
      <Floating />
    </Alone>
  )
}

interface Props {
  here: Reply<typeof getMissing>
  means: Means
  onChanged: () => void
}

function Slip({ here, means, onChanged }: Props) {
  const { next = '/start' } = useSearch({ from: '/second-factor' })
  const { history } = useRouter()
  // What was there before was not shown in this session: whoever made it signs in with it.
  const [isThere] = useState(() => means.second_factor.enabled_at || means.passkeys.length > 0)
  const go = async (workspace_id: string) => {
    const body = { workspace_id }
    await call<typeof switchWorkspace>('PATCH /internal/session', { body })
    location.assign(`/w/${workspace_id}/my`)
  }
  return (
    <div className="form slip">
      <SlipHead title={m.demandTitle(here.name)}>
        {here.is_missing ? (isThere ? m.demandThere : m.demandWhy) : m.demandDone}
      </SlipHead>
      {!isThere && (
        <>
          <SecondFactor means={means} onChanged={onChanged} />
          <Passkeys means={means} onChanged={onChanged} />
        </>
      )}
      <FormLine>
        <div className="acts">
          {!here.is_missing && (
            <Button kind="primary" onClick={() => history.push(next)}>
              {m.codeDo}
            </Button>
          )}
          {here.is_missing && isThere && (
            <Link className="btn primary" to="/sign-in" search={{ next }}>
              {m.signInWithIt}
            </Link>
          )}
          {here.workspaces.map(({ id, name }) => (
            <Button key={id} onClick={() => void go(id)}>
              {accounts.goTo(name)}
            </Button>
          ))}
          <Button kind="plain" onClick={() => void signOut()}>
            {accounts.signOutHere}
          </Button>
        </div>
      </FormLine>
    </div>
  )
}
