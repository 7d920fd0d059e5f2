import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Session } from '#resources/sessions/contract.ts'
import { m } from '../../messages/accounts.ts'
import { m as codes } from '../../messages/sign-in.ts'
import { FormLine } from '../../ui/field.tsx'
import { useGoOn } from './after.ts'
import { Alone, SlipHead } from './alone.tsx'
import { LinkForm } from './link-form.tsx'
import { setupQuery } from './setup-query.ts'
import { SignInForm } from './sign-in-form.tsx'

/** `/sign-in`: then on to `next`, which stays on this origin; nobody there yet: the first sign-up. */
export function SignIn() {
  const { next, again, hint } = useSearch({ from: '/sign-in' })
  const { data: setup } = useQuery(setupQuery)
  const client = useQueryClient()
  const goOn = useGoOn()
  const [link, setLink] = useState(() => /^#link=([\w-]+)$/.exec(location.hash)?.[1])
  const [isOver, setIsOver] = useState(false)
  const isOpen = setup?.signup === 'open'
  // Who wants to go on somewhere has been here before.
  if (isOpen && !setup.initialized && next === undefined) return <Navigate to="/sign-up" replace />
  // Whoever signs in with what the first start printed makes the installation theirs first.
  const signedIn = async (session: Session) => {
    // Who is in goes on, even where it cannot be learned whether the demo is still there.
    const now = setup ?? (await client.ensureQueryData(setupQuery).catch(() => undefined))
    goOn(session, now?.initialized === false ? '/setup' : next)
  }
  if (link) {
    const over = () => {
      setLink(undefined)
      setIsOver(true)
    }
    return (
      <Alone>
        <LinkForm token={link} onSignedIn={signedIn} onOver={over} />
      </Alone>
    )
  }
  const why = isOver ? codes.linkOver : again && m.againWhy
  return (
    <Alone>
      <SignInForm
        head={<SlipHead title={m.signIn}>{why}</SlipHead>}
        {...(next && { next })}
        {...(hint && { hint })}
        onSignedIn={signedIn}
      >
        <FormLine>
          <p className="acts">
            {setup?.password !== false && <Link to="/forgot">{m.forgotLink}</Link>}
            {isOpen && <Link to="/sign-up">{m.createLink}</Link>}
          </p>
        </FormLine>
      </SignInForm>
    </Alone>
  )
}
