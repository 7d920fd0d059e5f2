import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { askReset } from '#accounts/contract.ts'
import { call } from '../../lib/call.ts'
import { m } from '../../messages/accounts.ts'
import { FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { Alone, SlipHead, Told } from './alone.tsx'
import { EmailField } from './fields.tsx'

/** `/forgot`: asks for a link by mail; whether there is an account is not told. */
export function Forgot() {
  const [sent, setSent] = useState<string>()
  const send = async ({ email = '' }) => {
    await call<typeof askReset>('POST /internal/password-resets', { body: { email } })
    setSent(email.trim())
  }
  if (sent !== undefined) {
    return (
      <Told title={m.sent} text={m.sentWhy(sent)}>
        <p>{m.noMail}</p>
        <Link className="btn" to="/sign-in">
          {m.backToSignIn}
        </Link>
      </Told>
    )
  }
  return (
    <Alone>
      <Form slip label={m.forgot} onSubmit={send}>
        <SlipHead title={m.forgot}>{m.forgotWhy}</SlipHead>
        <EmailField autoFocus />
        <FormLine>
          <Submit wide>{m.forgotDo}</Submit>
        </FormLine>
        <FormLine>
          <p>
            <Link to="/sign-in">{m.backToSignIn}</Link>
          </p>
        </FormLine>
      </Form>
    </Alone>
  )
}
