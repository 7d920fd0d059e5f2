import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { endCompanyLink } from '#accounts/internal.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { dayTimeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/sign-in.ts'
import { Button } from '../../../ui/button.tsx'
import { FormLine } from '../../../ui/field.tsx'
import { leaveForCompany } from '../../accounts/company-button.tsx'
import { setupQuery } from '../../accounts/setup-query.ts'
import { useAct } from '../../accounts/use-act.tsx'
import { Band } from '../head.tsx'
import { Ask } from './ask.tsx'
import type { Means } from './means-query.ts'

/** Whether, and as whom, the person signs in by the company's provider. */
export function CompanyLink({ means, onChanged }: { means: Means; onChanged: () => void }) {
  const { data: setup } = useQuery(setupQuery)
  const [isAsking, setAsking] = useState(false)
  const { busy, trouble, act } = useAct()
  const { company } = means
  const name = setup?.company
  if (!name) return null
  const unlink = () =>
    act(async () => {
      await call<typeof endCompanyLink>('DELETE /internal/account/company', {})
      onChanged()
      toast({ text: m.unlinked })
    })
  return (
    <section aria-label={name}>
      <Band
        title={name}
        acts={
          company ? (
            <Button
              busy={busy}
              {...(!means.has_password && { reason: m.lastWayIn })}
              onClick={unlink}
            >
              {m.unlink}
            </Button>
          ) : (
            !isAsking && <Button onClick={() => setAsking(true)}>{m.link}</Button>
          )
        }
      />
      <FormLine>
        <p>
          {company
            ? m.linked(company.email ?? name, dayTimeOf(company.created_at))
            : m.notLinked(name)}
        </p>
        {trouble}
      </FormLine>
      {isAsking && (
        <Ask
          label={m.link}
          means={means}
          onCancel={() => setAsking(false)}
          send={({ current_password }) =>
            leaveForCompany(
              { purpose: 'link', ...(current_password && { current_password }) },
              location.pathname,
            )
          }
        />
      )}
    </section>
  )
}
