import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { signUp } from '#accounts/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { pageLanguage } from '../../../lib/locale/language.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { offerFirstSteps } from '../../shell/index.ts'
import {
  EmailField,
  NameField,
  NewPasswordField,
  SetupTokenField,
  WorkspaceNameField,
} from '../account-fields.tsx'
import { AuthHeading, AuthLayout, AuthMessage } from '../auth-layout.tsx'
import { FirstProjectForm } from '../setup/first-project-form.tsx'
import { setupQuery } from '../setup/setup-query.ts'
import { getDeviceTimeZone } from '../time-zones.ts'

/**
 * `/sign-up`: creates the first owner of an installation, or anybody where sign-up is open, then asks
 * for a first project.
 */
export function SignUp() {
  const { data: setup } = useQuery(setupQuery)
  const [session, setSession] = useState<Session>()
  if (setup?.signup === 'invite') {
    return (
      <AuthMessage title={accountMessages.closed} text={accountMessages.closedWhy}>
        <Link className="btn primary" to="/sign-in">
          {accountMessages.haveAccount}
        </Link>
      </AuthMessage>
    )
  }
  const send = async (values: Record<string, string>) => {
    const { name = '', email = '', password = '', workspace_name = '', setup_token } = values
    const body = {
      name,
      email,
      password,
      workspace_name,
      timezone: getDeviceTimeZone(),
      locale: pageLanguage,
      ...(setup_token && { setup_token }),
    }
    const created = await requestEndpoint<typeof signUp>('POST /internal/signup', { body })
    offerFirstSteps()
    setSession(created)
  }
  if (session) return <FirstProjectForm session={session} />
  const isFirst = setup?.initialized === false
  return (
    <AuthLayout>
      <Form slip label={accountMessages.signUp} onSubmit={send}>
        <AuthHeading title={isFirst ? accountMessages.firstOwner : accountMessages.signUp}>
          {isFirst ? accountMessages.firstOwnerWhy : undefined}
        </AuthHeading>
        <NameField autoFocus />
        <EmailField />
        <NewPasswordField />
        <WorkspaceNameField />
        {setup?.setup_token && <SetupTokenField />}
        <FormLine>
          <SubmitButton wide>{accountMessages.signUpDo}</SubmitButton>
        </FormLine>
        <FormLine>
          <p>
            <Link to="/sign-in" search={{ next: '/start' }}>
              {accountMessages.haveAccount}
            </Link>
          </p>
        </FormLine>
      </Form>
    </AuthLayout>
  )
}
