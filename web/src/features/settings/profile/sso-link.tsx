import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { endSsoLink } from '#accounts/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { formatDayTime } from '../../../lib/dates/instant.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { setupQuery, startSsoSignIn } from '../../accounts/index.ts'
import { SectionHeader } from '../settings-header.tsx'
import { openReauthenticationDialog, ReauthenticationForm } from './reauthentication-form.tsx'
import type { AccountSignInMethods } from './sign-in-methods-query.ts'

/** Links the account to the company's identity provider, and removes the link. */
export function SsoLink({
  methods,
  onChanged,
}: {
  methods: AccountSignInMethods
  onChanged: () => void
}) {
  const { data: setup } = useQuery(setupQuery)
  const [isLinking, setLinking] = useState(false)
  const { company } = methods
  const name = setup?.company
  if (!name) return null
  const unlink = () =>
    openReauthenticationDialog({
      title: signInMessages.unlinkTitle(name),
      text: signInMessages.unlinkWhy,
      action: signInMessages.unlink,
      danger: true,
      methods,
      send: async ({ current_password }) => {
        const body = { ...(current_password && { current_password }) }
        await requestEndpoint<typeof endSsoLink>('DELETE /internal/account/company', { body })
        onChanged()
        showToast({ text: signInMessages.unlinked })
      },
    })
  return (
    <section aria-label={name}>
      <SectionHeader
        title={name}
        actions={
          company ? (
            <Button
              {...(!methods.has_password && { reason: signInMessages.lastWayIn })}
              onClick={unlink}
            >
              {signInMessages.unlink}
            </Button>
          ) : (
            !isLinking && <Button onClick={() => setLinking(true)}>{signInMessages.link}</Button>
          )
        }
      />
      <FormLine>
        <p>
          {company
            ? signInMessages.linked(company.email ?? name, formatDayTime(company.created_at))
            : signInMessages.notLinked(name)}
        </p>
      </FormLine>
      {isLinking && (
        <ReauthenticationForm
          label={signInMessages.link}
          methods={methods}
          onCancel={() => setLinking(false)}
          send={({ current_password }) =>
            startSsoSignIn(
              { purpose: 'link', ...(current_password && { current_password }) },
              location.pathname,
            )
          }
        />
      )}
    </section>
  )
}
