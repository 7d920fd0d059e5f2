import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { beginPasskeyRegistration, createPasskey, deletePasskey } from '#accounts/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { createPasskeyCredential, isPasskeySupported } from '../../../lib/browser/passkey.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { setupQuery } from '../../accounts/index.ts'
import { SectionHeader } from '../settings-header.tsx'
import { parseUserAgent } from './parse-user-agent.ts'
import { openReauthenticationDialog, ReauthenticationForm } from './reauthentication-form.tsx'
import type { AccountSignInMethods } from './sign-in-methods-query.ts'

const COLUMNS = signInMessages.passkeyColumns.map((label, at) => ({ label, hidden: at === 3 }))

/** The passkeys of the account: credentials on a device, unlocked by a fingerprint or a PIN. */
export function Passkeys({
  methods,
  onChanged,
}: {
  methods: AccountSignInMethods
  onChanged: () => void
}) {
  const { data: setup } = useQuery(setupQuery)
  const [isAdding, setAdding] = useState(false)
  const { passkeys } = methods
  if (!setup?.passkeys) return null
  const addPasskey = async ({ current_password }: { current_password?: string }) => {
    const body = { ...(current_password && { current_password }) }
    const endpoint = 'POST /internal/account/passkeys/challenge'
    const credential = await createPasskeyCredential(
      await requestEndpoint<typeof beginPasskeyRegistration>(endpoint, { body }),
    )
    if (!credential) return
    const { browser, system } = parseUserAgent(navigator.userAgent)
    const name =
      browser && system ? settingsMessages.on(browser, system) : (browser ?? signInMessages.passkey)
    await requestEndpoint<typeof createPasskey>('POST /internal/account/passkeys', {
      body: { name, ...credential },
    })
    setAdding(false)
    onChanged()
    showToast({ text: signInMessages.passkeyMade })
  }
  const deleteOne = ({ id, name }: AccountSignInMethods['passkeys'][number]) =>
    openReauthenticationDialog({
      title: signInMessages.passkeyEndTitle(name),
      text: signInMessages.passkeyEndWhy,
      action: signInMessages.passkeyEnd,
      danger: true,
      methods,
      send: async ({ current_password }) => {
        const body = { ...(current_password && { current_password }) }
        await requestEndpoint<typeof deletePasskey>('DELETE /internal/account/passkeys/:id', {
          params: { id },
          body,
        })
        onChanged()
        showToast({ text: signInMessages.passkeyEnded(name) })
      },
    })
  return (
    <section aria-label={signInMessages.passkeys}>
      <SectionHeader
        title={signInMessages.passkeys}
        count={passkeys.length}
        actions={
          !isAdding && (
            <Button
              {...(!isPasskeySupported() && { reason: signInMessages.noPasskeys })}
              onClick={() => setAdding(true)}
            >
              {signInMessages.makePasskey}
            </Button>
          )
        }
      />
      {isAdding && (
        <ReauthenticationForm
          label={signInMessages.makePasskey}
          action={signInMessages.next}
          methods={methods}
          onCancel={() => setAdding(false)}
          send={addPasskey}
        />
      )}
      {passkeys.length === 0 && (
        <FormLine>
          <p>{signInMessages.passkeysWhy}</p>
        </FormLine>
      )}
      {passkeys.length > 0 && (
        <DataTable label={signInMessages.passkeys} className="passkeys" columns={COLUMNS}>
          {passkeys.map((one) => (
            <TableRow key={one.id}>
              <TableCell className="gut">
                {one.last_used_at && <FormattedInstant at={one.last_used_at} style="gutter" />}
              </TableCell>
              <TableCell className="clip">{one.name}</TableCell>
              <TableCell>
                <FormattedInstant at={one.created_at} style="day" />
              </TableCell>
              <TableCell className="end">
                <Button
                  kind="plain danger"
                  aria-label={signInMessages.passkeyEndTitle(one.name)}
                  onClick={() => deleteOne(one)}
                >
                  {signInMessages.passkeyEnd}
                </Button>
              </TableCell>
            </TableRow>
          ))}
        </DataTable>
      )}
    </section>
  )
}
