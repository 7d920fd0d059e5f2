import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { beginPasskey, createPasskey, deletePasskey } from '#accounts/internal.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { hasPasskeys, makePasskey } from '../../../lib/passkey.ts'
import { m as settings } from '../../../messages/settings.ts'
import { m } from '../../../messages/sign-in.ts'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/dialog.tsx'
import { FormLine } from '../../../ui/field.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { setupQuery } from '../../accounts/setup-query.ts'
import { Band } from '../head.tsx'
import { tell } from '../tell.ts'
import { Ask } from './ask.tsx'
import { deviceOf } from './device.ts'
import type { Means } from './means-query.ts'

const COLUMNS = m.passkeyColumns.map((label, at) => ({ label, hidden: at === 3 }))

/** Keys that this or another device keeps: they are shown by a finger or a PIN. */
export function Passkeys({ means, onChanged }: { means: Means; onChanged: () => void }) {
  const { data: setup } = useQuery(setupQuery)
  const [isAsking, setAsking] = useState(false)
  const { passkeys } = means
  if (!setup?.passkeys) return null
  const make = async ({ current_password }: { current_password?: string }) => {
    const body = { ...(current_password && { current_password }) }
    const ask = 'POST /internal/account/passkeys/challenge'
    const made = await makePasskey(await call<typeof beginPasskey>(ask, { body }))
    if (!made) return
    const { browser, system } = deviceOf(navigator.userAgent)
    const name = browser && system ? settings.on(browser, system) : (browser ?? m.passkey)
    await call<typeof createPasskey>('POST /internal/account/passkeys', { body: { name, ...made } })
    setAsking(false)
    onChanged()
    toast({ text: m.passkeyMade })
  }
  const remove = async ({ id, name }: Means['passkeys'][number]) => {
    const question = { title: m.passkeyEndTitle(name), text: m.passkeyEndWhy, action: m.passkeyEnd }
    if (!(await confirm({ ...question, danger: true }))) return
    try {
      await call<typeof deletePasskey>('DELETE /internal/account/passkeys/:id', { params: { id } })
      toast({ text: m.passkeyEnded(name) })
    } catch (error) {
      tell(error)
    }
    onChanged()
  }
  return (
    <section aria-label={m.passkeys}>
      <Band
        title={m.passkeys}
        count={passkeys.length}
        acts={
          !isAsking && (
            <Button
              {...(!hasPasskeys() && { reason: m.noPasskeys })}
              onClick={() => setAsking(true)}
            >
              {m.makePasskey}
            </Button>
          )
        }
      />
      {isAsking && (
        <Ask
          label={m.makePasskey}
          action={m.next}
          means={means}
          onCancel={() => setAsking(false)}
          send={make}
        />
      )}
      {passkeys.length === 0 && (
        <FormLine>
          <p>{m.passkeysWhy}</p>
        </FormLine>
      )}
      {passkeys.length > 0 && (
        <Table label={m.passkeys} className="passkeys" columns={COLUMNS}>
          {passkeys.map((one) => (
            <Row key={one.id}>
              <Cell className="gut">
                {one.last_used_at && <Moment at={one.last_used_at} style="gutter" />}
              </Cell>
              <Cell className="clip">{one.name}</Cell>
              <Cell>
                <Moment at={one.created_at} style="day" />
              </Cell>
              <Cell className="end">
                <Button
                  kind="plain danger"
                  aria-label={m.passkeyEndTitle(one.name)}
                  onClick={() => remove(one)}
                >
                  {m.passkeyEnd}
                </Button>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </section>
  )
}
