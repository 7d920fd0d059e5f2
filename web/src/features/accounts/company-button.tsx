import type { beginCompanySignIn } from '#accounts/internal.ts'
import { call, type Sent } from '../../lib/call.ts'
import { m } from '../../messages/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { FormLine } from '../../ui/field.tsx'
import { useAct } from './use-act.tsx'

const NEXT = 'docket.next'

/** Where the person goes on from the company's page: this tab alone knows it. */
export function takeNext(): string | undefined {
  const next = sessionStorage.getItem(NEXT) ?? undefined
  sessionStorage.removeItem(NEXT)
  return next
}

/** Leaves for the company's own sign-in. */
export async function leaveForCompany(
  body: Sent<typeof beginCompanySignIn>['body'],
  next: string | undefined,
): Promise<void> {
  const address = 'POST /internal/company-sign-in'
  const { redirect_to } = await call<typeof beginCompanySignIn>(address, { body })
  if (next === undefined) sessionStorage.removeItem(NEXT)
  else sessionStorage.setItem(NEXT, next)
  location.assign(redirect_to)
}

interface Props {
  name: string
  next?: string | undefined
  invitation?: string
}

/** "Continue with …", under the form or in place of it. */
export function CompanyButton({ name, next, invitation }: Props) {
  const { busy, trouble, act } = useAct()
  const go = () =>
    act(() => leaveForCompany({ purpose: 'sign_in', ...(invitation && { invitation }) }, next))
  return (
    <FormLine>
      <Button wide busy={busy} onClick={go}>
        {m.continueWith(name)}
      </Button>
      {trouble}
    </FormLine>
  )
}
