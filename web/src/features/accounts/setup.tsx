import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { setUp } from '#accounts/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { call } from '../../lib/call.ts'
import { language } from '../../lib/language.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/accounts.ts'
import { Check, FormLine, SelectField } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { GroupLine } from '../../ui/group-line.tsx'
import { offerTour } from '../shell/tour-open.ts'
import { useGoOn } from './after.ts'
import { Alone, SlipHead, Told } from './alone.tsx'
import { EmailField, NameField, NewPassword, WorkspaceNameField } from './fields.tsx'
import { firstProject } from './first-project.ts'
import { setupQuery } from './setup-query.ts'
import { whoIsHere } from './who-is-here.ts'
import { allZones, deviceZone } from './zones.ts'

/** `/setup`: the demo's owner becomes a person; then to a project with a checklist. */
export function Setup() {
  const { data: setup, isPending } = useQuery({ ...setupQuery, staleTime: 0 })
  const { data: here, isPending: isAsked } = useQuery({
    queryKey: ['here'],
    staleTime: 0,
    queryFn: async () => (await whoIsHere()) ?? null,
  })
  const [over, setOver] = useState(false)
  if (isPending || isAsked) return null
  if (over || setup?.initialized) {
    return (
      <Told title={m.setupOver} text={m.setupOverWhy}>
        <Link className="btn primary" to="/start">
          {m.toWork}
        </Link>
      </Told>
    )
  }
  if (setup?.signup === 'open') return <Navigate to="/sign-up" replace />
  if (!here) return <Navigate to="/sign-in" search={{ next: '/setup' }} replace />
  return <SetupForm onOver={() => setOver(true)} />
}

function SetupForm({ onOver }: { onOver: () => void }) {
  const [demo, setDemo] = useState<'keep' | 'remove'>('keep')
  const goOn = useGoOn()
  const send = async (values: Record<string, string>) => {
    const { name = '', email = '', password = '', timezone = 'UTC', workspace_name = '' } = values
    const body = {
      ...{ name, email, password, timezone, locale: language, demo },
      ...(demo === 'remove' && { workspace_name }),
    }
    let session: Session
    try {
      session = await call<typeof setUp>('POST /internal/setup', { body })
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return onOver()
      throw error
    }
    const path = await firstProject()
    offerTour()
    goOn(session, path)
  }
  return (
    <Alone>
      <Form slip label={m.setup} onSubmit={send}>
        <SlipHead title={m.setup}>{m.setupWhy}</SlipHead>
        <NameField autoFocus />
        <EmailField />
        <NewPassword />
        <SelectField
          label={m.timezone}
          name="timezone"
          defaultValue={deviceZone()}
          options={allZones(deviceZone())}
        />
        <GroupLine label={m.demo} radio>
          {(['keep', 'remove'] as const).map((choice) => (
            <Check
              key={choice}
              radio
              name="demo"
              value={choice}
              checked={demo === choice}
              onChange={() => setDemo(choice)}
            >
              {choice === 'keep' ? m.demoKeep : m.demoRemove}
            </Check>
          ))}
        </GroupLine>
        {demo === 'remove' && <WorkspaceNameField />}
        <FormLine>
          <Submit wide>{m.setupDo}</Submit>
        </FormLine>
      </Form>
    </Alone>
  )
}
