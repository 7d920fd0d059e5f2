import type { createAnotherWorkspace } from '#accounts/contract.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../messages/accounts/accounts.ts'
import { Form, SubmitButton } from '../../ui/form/form.tsx'
import { FormActions } from '../../ui/form/form-actions.tsx'
import { FormLine } from '../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../ui/form/use-request-keys.ts'
import { openDialog } from '../../ui/overlays/dialog.tsx'
import { goToWorkspace } from '../shell/index.ts'
import { WorkspaceNameField } from './account-fields.tsx'
import { getDeviceTimeZone } from './time-zones.ts'

/** Asks for the name of another workspace, creates it and goes there. */
export const openCreateWorkspaceDialog = (): void => {
  openDialog({ title: accountMessages.newWorkspace, body: () => <CreateWorkspaceForm /> })
}

function CreateWorkspaceForm() {
  const keyOf = useRequestKeys()
  const create = async ({ workspace_name: name = '' }) => {
    const body = { name, timezone: getDeviceTimeZone() }
    const address = 'POST /internal/workspaces'
    const options = { idempotencyKey: keyOf(body) }
    const { id } = await requestEndpoint<typeof createAnotherWorkspace>(address, { body }, options)
    goToWorkspace(id)
  }
  return (
    <Form label={accountMessages.newWorkspace} onSubmit={create}>
      <FormLine>
        <p>{accountMessages.newWorkspaceWhy}</p>
      </FormLine>
      <WorkspaceNameField />
      <FormActions>
        <SubmitButton>{accountMessages.beginWorkspace}</SubmitButton>
      </FormActions>
    </Form>
  )
}
