import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { beginPasskeySignIn, signInByPasskey } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { call } from '../../lib/call.ts'
import { offersPasskeys, showPasskey } from '../../lib/passkey.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { FormLine } from '../../ui/field.tsx'
import { useAct } from './use-act.tsx'

interface Props {
  /** Whether the field for the address offers them, too. */
  offered: boolean
  workspaceId?: string | undefined
  onSignedIn: (session: Session) => void | Promise<void>
}

/** Before the challenge of an offer ends. */
const OFFERED_MS = 9 * 60_000

const isOver = (error: unknown) => error instanceof Problem && error.code === 'sign_in_over'

const ask = () =>
  call<typeof beginPasskeySignIn>('POST /internal/session/passkey/challenge', { body: {} })

/** Signs in by what the browser has kept for this site: by the button, or by what it offers in the form. */
export function PasskeyButton({ offered, workspaceId, onSignedIn }: Props) {
  const { busy, trouble, act } = useAct()
  const [round, setRound] = useState(0)
  const offer = useRef<AbortController>(undefined)
  const renew = () => setRound((now) => now + 1)
  const enter = (shown: Awaited<ReturnType<typeof showPasskey>>) =>
    act(async () => {
      if (!shown) return renew()
      const body = { ...shown, ...(workspaceId && { workspace_id: workspaceId }) }
      const address = 'POST /internal/session/passkey'
      const entering = call<typeof signInByPasskey>(address, { body })
      // Another tab has asked since, or it lay for long. What opens nothing is not offered once more.
      entering.catch((error) => isOver(error) && renew())
      await onSignedIn(await entering)
    })
  const go = () =>
    act(async () => {
      // A browser has one question at a time.
      offer.current?.abort()
      await enter(await showPasskey(await ask()))
    })
  const taken = useEffectEvent(enter)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is an offer of its own
  useEffect(() => {
    if (!offered) return
    const begun = new AbortController()
    offer.current = begun
    const { signal } = begun
    const shown = offersPasskeys().then(async (can) =>
      can && !signal.aborted ? showPasskey(await ask(), signal) : undefined,
    )
    // Without an offer there is the button, which tells what is wrong.
    shown.then((one) => one && taken(one)).catch(() => undefined)
    const again = setTimeout(renew, OFFERED_MS)
    return () => {
      clearTimeout(again)
      begun.abort()
    }
  }, [offered, round])
  return (
    <FormLine>
      <Button wide busy={busy} onClick={go}>
        {m.byPasskey}
      </Button>
      {trouble}
    </FormLine>
  )
}
