import { useQuery } from '@tanstack/react-query'
import type { beginOwnWorkspace, leaveSignIn } from '#accounts/internal.ts'
import { call } from '../../lib/call.ts'
import { m } from '../../messages/accounts.ts'
import { Button } from '../../ui/button.tsx'
import { FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { useGoOn } from './after.ts'
import { Alone, SlipHead } from './alone.tsx'
import { WorkspaceNameField } from './fields.tsx'
import { setupQuery } from './setup-query.ts'
import { useAct } from './use-act.tsx'
import { deviceZone } from './zones.ts'

const WORKSPACE = '/internal/session/workspace'

/** `/no-workspace`: somebody has signed in who is a member nowhere, any more or yet. */
export function NoWorkspace() {
  const { data: setup } = useQuery(setupQuery)
  const goOn = useGoOn()
  const { busy, trouble, act } = useAct()
  const isOpen = setup?.signup === 'open'
  const begin = async ({ workspace_name: name = '' }) => {
    const body = { name, timezone: deviceZone() }
    goOn(await call<typeof beginOwnWorkspace>(`POST ${WORKSPACE}`, { body }))
  }
  const leave = () =>
    act(async () => {
      await call<typeof leaveSignIn>(`DELETE ${WORKSPACE}`, {})
      location.assign('/sign-in')
    })
  return (
    <Alone>
      <Form slip label={m.noWorkspace} onSubmit={begin}>
        <SlipHead title={m.noWorkspace}>{isOpen ? m.noWorkspaceBegin : m.closedWhy}</SlipHead>
        {isOpen && <WorkspaceNameField />}
        <FormLine>
          <div className="acts">
            {isOpen && <Submit>{m.beginWorkspace}</Submit>}
            <Button kind="plain" busy={busy} onClick={leave}>
              {m.signOutHere}
            </Button>
          </div>
          {trouble}
        </FormLine>
      </Form>
    </Alone>
  )
}
