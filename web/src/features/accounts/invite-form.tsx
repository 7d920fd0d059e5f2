import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { acceptInvitation, lookUpInvitation } from '#resources/invitations/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import type { Reply } from '#wire/endpoint.ts'
import { call } from '../../lib/call.ts'
import { language } from '../../lib/language.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/accounts.ts'
import { m as codes } from '../../messages/sign-in.ts'
import { FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { offerTour } from '../shell/tour-open.ts'
import { useGoOn } from './after.ts'
import { Alone, SlipHead } from './alone.tsx'
import { CodeField, wantsCode } from './code-form.tsx'
import { CompanyButton } from './company-button.tsx'
import { NameField, NewPassword, PresentPassword } from './fields.tsx'
import { setupQuery } from './setup-query.ts'
import { wordsOf } from './sign-in-form.tsx'

interface Props {
  token: string
  invitation: Reply<typeof lookUpInvitation>
  /** The invited person's name, if signed in already: then nothing more is asked. */
  hereName?: string
}

/** Takes an invitation: the link alone never opens an account that exists. */
export function InviteForm({ token, invitation, hereName }: Props) {
  const { email, role, workspace_name, invited_by_name, has_account } = invitation
  const [wrong, setWrong] = useState<string>()
  const [wantsIt, setWantsIt] = useState(false)
  const present = useRef<HTMLInputElement>(null)
  const { data: setup } = useQuery(setupQuery)
  const isByPassword = setup?.password !== false
  const goOn = useGoOn()
  const send = async ({ name = '', password = '', code = '' }) => {
    setWrong(undefined)
    const proof = hereName
      ? {}
      : has_account
        ? { password, ...(code && { code }) }
        : { name, password, locale: language }
    let session: Session
    try {
      const body = { token, ...proof }
      session = await call<typeof acceptInvitation>('POST /internal/invitations/accept', { body })
    } catch (error) {
      if (wantsCode(error)) return setWantsIt(true)
      const isWrong = error instanceof Problem && error.code === 'invalid_credentials'
      const told = isWrong ? m.wrongPassword : wordsOf(error)
      if (told === undefined || !present.current) throw error
      setWrong(told)
      present.current.select()
      return
    }
    if (!has_account) offerTour()
    goOn(session)
  }
  return (
    <Alone>
      <Form slip label={m.inviteTitle(workspace_name)} onSubmit={send}>
        <SlipHead title={m.inviteTitle(workspace_name)}>
          {m.inviteWho(invited_by_name, m.roles[role], email)}
        </SlipHead>
        <FormLine>
          <p className="why">
            {hereName ? m.inviteHere(hereName) : has_account ? m.inviteKnown : m.inviteNew}
          </p>
        </FormLine>
        <input type="email" value={email} autoComplete="username" readOnly hidden />
        {!hereName && isByPassword && has_account && (
          <PresentPassword ref={present} error={wrong} autoFocus />
        )}
        {wantsIt && <CodeField hint={codes.codeWhy} autoFocus />}
        {!hereName && isByPassword && !has_account && (
          <>
            <NameField autoFocus />
            <NewPassword />
          </>
        )}
        {(hereName || isByPassword) && (
          <FormLine>
            <Submit wide>{m.inviteDo}</Submit>
          </FormLine>
        )}
        {!hereName && setup?.company && <CompanyButton name={setup.company} invitation={token} />}
      </Form>
    </Alone>
  )
}
