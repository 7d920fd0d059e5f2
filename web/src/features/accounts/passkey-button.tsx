import type { beginPasskeySignIn, signInByPasskey } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { call } from '../../lib/call.ts'
import { showPasskey } from '../../lib/passkey.ts'
import { m } from '../../messages/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { FormLine } from '../../ui/field.tsx'
import { useAct } from './use-act.tsx'

interface Props {
  workspaceId?: string | undefined
  onSignedIn: (session: Session) => void | Promise<void>
}

/** Signs in by what the browser has kept for this site. */
export function PasskeyButton({ workspaceId, onSignedIn }: Props) {
  const { busy, trouble, act } = useAct()
  const go = () =>
    act(async () => {
      const ask = 'POST /internal/session/passkey/challenge'
      const shown = await showPasskey(await call<typeof beginPasskeySignIn>(ask, { body: {} }))
      if (!shown) return
      const body = { ...shown, ...(workspaceId && { workspace_id: workspaceId }) }
      await onSignedIn(
        await call<typeof signInByPasskey>('POST /internal/session/passkey', { body }),
      )
    })
  return (
    <FormLine>
      <Button wide busy={busy} onClick={go}>
        {m.byPasskey}
      </Button>
      {trouble}
    </FormLine>
  )
}
