import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { acceptReset } from '#accounts/contract.ts'
import { call } from '../../lib/call.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/accounts.ts'
import { FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { useGoOn } from './after.ts'
import { Alone, SlipHead, Told } from './alone.tsx'
import { CodeForm, wantsCode } from './code-form.tsx'
import { NewPassword } from './fields.tsx'
import { goHomeless } from './homeless.ts'

/** `/reset/:token`: a new password by a link that was mailed. */
export function Reset() {
  const { token } = useParams({ from: '/reset/$token' })
  const [expired, setExpired] = useState(false)
  const [isHeld, setHeld] = useState(false)
  const navigate = useNavigate()
  const goOn = useGoOn()
  const send = async ({ password = '' }) => {
    try {
      const body = { token, password }
      goOn(await call<typeof acceptReset>('POST /internal/password-resets/accept', { body }))
    } catch (error) {
      if (wantsCode(error)) return setHeld(true)
      if (goHomeless(error)) return
      if (!(error instanceof Problem) || error.status !== 404) throw error
      setExpired(true)
    }
  }
  if (expired) {
    return (
      <Told title={m.expired} text={m.resetExpiredWhy}>
        <Link className="btn primary" to="/forgot">
          {m.anotherLink}
        </Link>
      </Told>
    )
  }
  if (isHeld) {
    return (
      <Alone>
        <CodeForm onSignedIn={goOn} onBack={() => navigate({ to: '/sign-in' })} />
      </Alone>
    )
  }
  return (
    <Alone>
      <Form slip label={m.reset} onSubmit={send}>
        <SlipHead title={m.reset}>{m.resetWhy}</SlipHead>
        <NewPassword autoFocus />
        <FormLine>
          <Submit wide>{m.resetDo}</Submit>
        </FormLine>
      </Form>
    </Alone>
  )
}
