import { useQuery } from '@tanstack/react-query'
import type { cancelPendingSignIn, createFirstWorkspace } from '#accounts/internal.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { WorkspaceNameField } from '../account-fields.tsx'
import { AuthHeading, AuthLayout } from '../auth-layout.tsx'
import { setupQuery } from '../setup/setup-query.ts'
import { useCompleteSignIn } from '../sign-in/use-complete-sign-in.ts'
import { getDeviceTimeZone } from '../time-zones.ts'
import { useAsyncAction } from '../use-async-action.tsx'

const WORKSPACE_PATH = '/internal/session/workspace'

/** `/no-workspace`: the person has signed in, and is a member of no workspace (yet or any more). */
export function NoWorkspace() {
  const { data: setup } = useQuery(setupQuery)
  const completeSignIn = useCompleteSignIn()
  const { busy, errorMessage, run } = useAsyncAction()
  const allowsSignUp = setup?.signup === 'open'
  const createWorkspace = async ({ workspace_name: name = '' }) => {
    const body = { name, timezone: getDeviceTimeZone() }
    await completeSignIn(
      await requestEndpoint<typeof createFirstWorkspace>(`POST ${WORKSPACE_PATH}`, { body }),
    )
  }
  const cancelSignIn = () =>
    run(async () => {
      await requestEndpoint<typeof cancelPendingSignIn>(`DELETE ${WORKSPACE_PATH}`, {})
      location.assign('/sign-in')
    })
  return (
    <AuthLayout>
      <Form slip label={accountMessages.noWorkspace} onSubmit={createWorkspace}>
        <AuthHeading title={accountMessages.noWorkspace}>
          {allowsSignUp ? accountMessages.noWorkspaceBegin : accountMessages.closedWhy}
        </AuthHeading>
        {allowsSignUp && <WorkspaceNameField />}
        <FormLine>
          <div className="acts">
            {allowsSignUp && <SubmitButton>{accountMessages.beginWorkspace}</SubmitButton>}
            <Button kind="plain" busy={busy} onClick={cancelSignIn}>
              {accountMessages.signOutHere}
            </Button>
          </div>
          {errorMessage}
        </FormLine>
      </Form>
    </AuthLayout>
  )
}
