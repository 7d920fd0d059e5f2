import { useState } from 'react'
import type { signInByLink } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { call } from '../../lib/call.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/sign-in.ts'
import { FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { SlipHead } from './alone.tsx'
import { CodeForm, wantsCode } from './code-form.tsx'
import { goHomeless } from './homeless.ts'

interface Props {
  token: string
  onSignedIn: (session: Session) => void | Promise<void>
  /** The link is used up, or was never one. */
  onOver: () => void
}

/** By a link that the operator has printed: it is used when the person says so, not when it is looked at. */
export function LinkForm({ token, onSignedIn, onOver }: Props) {
  const [isHeld, setHeld] = useState(false)
  const send = async () => {
    let session: Session
    try {
      const body = { token }
      session = await call<typeof signInByLink>('POST /internal/session/link', { body })
    } catch (error) {
      if (wantsCode(error)) return setHeld(true)
      if (goHomeless(error)) return
      if (error instanceof Problem && error.status === 404) return onOver()
      throw error
    }
    await onSignedIn(session)
  }
  if (isHeld) return <CodeForm onSignedIn={onSignedIn} onBack={onOver} />
  return (
    <Form slip label={m.linkTitle} onSubmit={send}>
      <SlipHead title={m.linkTitle}>{m.linkWhy}</SlipHead>
      <FormLine>
        <Submit wide autoFocus>
          {m.linkDo}
        </Submit>
      </FormLine>
    </Form>
  )
}
