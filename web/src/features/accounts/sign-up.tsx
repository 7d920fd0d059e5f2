import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { signUp } from '#accounts/contract.ts'
import { call } from '../../lib/call.ts'
import { language } from '../../lib/language.ts'
import { m } from '../../messages/accounts.ts'
import { FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { offerTour } from '../shell/tour-open.ts'
import { useGoOn } from './after.ts'
import { Alone, SlipHead, Told } from './alone.tsx'
import { EmailField, NameField, NewPassword, WorkspaceNameField } from './fields.tsx'
import { setupQuery } from './setup-query.ts'
import { deviceZone } from './zones.ts'

/** `/sign-up`: the first owner of an installation, or anybody where that is allowed. */
export function SignUp() {
  const { data: setup } = useQuery(setupQuery)
  const goOn = useGoOn()
  if (setup?.signup === 'invite') {
    return (
      <Told title={m.closed} text={m.closedWhy}>
        <Link className="btn primary" to="/sign-in">
          {m.haveAccount}
        </Link>
      </Told>
    )
  }
  const send = async ({ name = '', email = '', password = '', workspace_name = '' }) => {
    const body = { name, email, password, workspace_name, timezone: deviceZone(), locale: language }
    const session = await call<typeof signUp>('POST /internal/signup', { body })
    offerTour()
    goOn(session)
  }
  const isFirst = setup?.initialized === false
  return (
    <Alone>
      <Form slip label={m.signUp} onSubmit={send}>
        <SlipHead title={isFirst ? m.firstOwner : m.signUp}>
          {isFirst ? m.firstOwnerWhy : undefined}
        </SlipHead>
        <NameField autoFocus />
        <EmailField />
        <NewPassword />
        <WorkspaceNameField />
        <FormLine>
          <Submit wide>{m.signUpDo}</Submit>
        </FormLine>
        <FormLine>
          <p>
            <Link to="/sign-in" search={{ next: '/start' }}>
              {m.haveAccount}
            </Link>
          </p>
        </FormLine>
      </Form>
    </Alone>
  )
}
