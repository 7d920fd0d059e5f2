import type { deleteWorkspace } from '#accounts/contract.ts'
import { useBoot, useRight } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { workspaceMessages } from '../../../messages/settings/workspace.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { useHasPassword } from '../profile/sign-in-methods-query.ts'
import { SectionHeader } from '../settings-header.tsx'

/** Deletes the workspace: for owners, who confirm it with its name and their password, if they have one. */
export function DeleteWorkspaceSection() {
  const { workspace } = useBoot('session').session
  const isOwner = useRight('own_workspace')
  const open = () =>
    openDialog({
      title: workspaceMessages.deleteTitle(workspace.name),
      body: (close) => <DeleteWorkspaceForm name={workspace.name} onClose={close} />,
    })
  return (
    <section aria-label={workspaceMessages.deletion}>
      <SectionHeader
        title={workspaceMessages.deletion}
        actions={
          <Button
            kind="danger"
            reason={isOwner ? undefined : workspaceMessages.deletionOwners}
            onClick={open}
          >
            {workspaceMessages.deleteDo}
          </Button>
        }
      />
      <div className="line set-note">
        <span className="gut" />
        <p>{workspaceMessages.deletionWhy}</p>
      </div>
    </section>
  )
}

function DeleteWorkspaceForm({ name, onClose }: { name: string; onClose: () => void }) {
  const hasPassword = useHasPassword()
  const send = async ({ name: typed = '', current_password }: Record<string, string>) => {
    const body = { name: typed, ...(current_password && { current_password }) }
    await requestEndpoint<typeof deleteWorkspace>('DELETE /internal/workspace', { body })
    location.assign('/deleted')
  }
  return (
    <Form label={workspaceMessages.deleteTitle(name)} onSubmit={send}>
      <FormLine>
        <p>{workspaceMessages.deletionWhy}</p>
      </FormLine>
      <TextField
        label={workspaceMessages.deleteName(name)}
        name="name"
        autoComplete="off"
        required
      />
      {hasPassword && (
        <TextField
          label={workspaceMessages.deletePassword}
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
      <FormLine>
        <div className="acts">
          <SubmitButton kind="danger">{workspaceMessages.deleteFinal}</SubmitButton>
          <Button kind="plain" onClick={onClose}>
            {settingsMessages.cancel}
          </Button>
        </div>
      </FormLine>
    </Form>
  )
}
