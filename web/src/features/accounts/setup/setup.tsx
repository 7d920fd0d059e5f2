import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { completeSetup } from '#accounts/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { pageLanguage } from '../../../lib/locale/language.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { FieldGroup } from '../../../ui/form/field-group.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { CheckField, FormLine, SelectField } from '../../../ui/form/form-field.tsx'
import { offerFirstSteps } from '../../shell/index.ts'
import { EmailField, NameField, NewPasswordField, WorkspaceNameField } from '../account-fields.tsx'
import { AuthHeading, AuthLayout, AuthMessage } from '../auth-layout.tsx'
import { fetchCurrentSession } from '../current-session.ts'
import { useCompleteSignIn } from '../sign-in/use-complete-sign-in.ts'
import { getDeviceTimeZone, getTimeZoneOptions } from '../time-zones.ts'
import { FirstProjectForm } from './first-project-form.tsx'
import { setupQuery } from './setup-query.ts'

/** `/setup`: turns the demo owner into a real account, and without the demo asks for a first project. */
export function Setup() {
  const { data: setup, isPending } = useQuery({ ...setupQuery, staleTime: 0 })
  const { data: session, isPending: isSessionPending } = useQuery({
    queryKey: ['here'],
    staleTime: 0,
    queryFn: async () => (await fetchCurrentSession()) ?? null,
  })
  const [isAlreadySetUp, setAlreadySetUp] = useState(false)
  if (isPending || isSessionPending) return null
  if (isAlreadySetUp || setup?.initialized) {
    return (
      <AuthMessage title={accountMessages.setupOver} text={accountMessages.setupOverWhy}>
        <Link className="btn primary" to="/start">
          {accountMessages.toWork}
        </Link>
      </AuthMessage>
    )
  }
  if (setup?.signup === 'open') return <Navigate to="/sign-up" replace />
  if (!session) return <Navigate to="/sign-in" search={{ next: '/setup' }} replace />
  return <SetupForm onAlreadySetUp={() => setAlreadySetUp(true)} />
}

function SetupForm({ onAlreadySetUp }: { onAlreadySetUp: () => void }) {
  const [demo, setDemo] = useState<'keep' | 'remove'>('keep')
  const [emptySession, setEmptySession] = useState<Session>()
  const completeSignIn = useCompleteSignIn()
  const send = async (values: Record<string, string>) => {
    const { name = '', email = '', password = '', timezone = 'UTC', workspace_name = '' } = values
    const body = {
      name,
      email,
      password,
      timezone,
      locale: pageLanguage,
      demo,
      ...(demo === 'remove' && { workspace_name }),
    }
    let session: Session
    try {
      session = await requestEndpoint<typeof completeSetup>('POST /internal/setup', { body })
    } catch (error) {
      if (error instanceof ApiResponseError && error.status === 404) return onAlreadySetUp()
      throw error
    }
    offerFirstSteps()
    if (demo === 'remove') setEmptySession(session)
    else await completeSignIn(session)
  }
  if (emptySession) return <FirstProjectForm session={emptySession} />
  return (
    <AuthLayout>
      <Form slip label={accountMessages.setup} onSubmit={send}>
        <AuthHeading title={accountMessages.setup}>{accountMessages.setupWhy}</AuthHeading>
        <NameField autoFocus />
        <EmailField />
        <NewPasswordField />
        <SelectField
          label={accountMessages.timezone}
          name="timezone"
          defaultValue={getDeviceTimeZone()}
          options={getTimeZoneOptions(getDeviceTimeZone())}
        />
        <FieldGroup label={accountMessages.demo} radio>
          {(['keep', 'remove'] as const).map((choice) => (
            <CheckField
              key={choice}
              radio
              name="demo"
              value={choice}
              checked={demo === choice}
              onChange={() => setDemo(choice)}
            >
              {choice === 'keep' ? accountMessages.demoKeep : accountMessages.demoRemove}
            </CheckField>
          ))}
        </FieldGroup>
        {demo === 'remove' && <WorkspaceNameField />}
        <FormLine>
          <SubmitButton wide>{accountMessages.setupDo}</SubmitButton>
        </FormLine>
      </Form>
    </AuthLayout>
  )
}
