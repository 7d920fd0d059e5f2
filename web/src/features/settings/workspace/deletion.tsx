import type { deleteWorkspace } from '#accounts/contract.ts'
import { useBoot } from '../../../data/boot.ts'
import { call } from '../../../lib/call.ts'
import { m as common } from '../../../messages/settings.ts'
import { m } from '../../../messages/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'
import { FormLine, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { Band } from '../head.tsx'

/** The way out of a workspace for everybody: for owners, who type its name. */
export function Deletion() {
  const { user, workspace } = useBoot().session
  const open = () =>
    openDialog({
      title: m.deleteTitle(workspace.name),
      body: (close) => <DeleteForm name={workspace.name} onClose={close} />,
    })
  return (
    <section aria-label={m.deletion}>
      <Band
        title={m.deletion}
        acts={
          <Button
            kind="danger"
            reason={user.role === 'owner' ? undefined : m.deletionOwners}
            onClick={open}
          >
            {m.deleteDo}
          </Button>
        }
      />
      <div className="line set-note">
        <span className="gut" />
        <p>{m.deletionWhy}</p>
      </div>
    </section>
  )
}

function DeleteForm({ name, onClose }: { name: string; onClose: () => void }) {
  const send = async ({ name: typed = '', current_password = '' }) => {
    const body = { name: typed, current_password }
    await call<typeof deleteWorkspace>('DELETE /internal/workspace', { body })
    location.assign('/deleted')
  }
  return (
    <Form label={m.deleteTitle(name)} onSubmit={send}>
      <FormLine>
        <p>{m.deletionWhy}</p>
      </FormLine>
      <TextField label={m.deleteName(name)} name="name" autoComplete="off" required />
      <TextField
        label={m.deletePassword}
        name="current_password"
        type="password"
        autoComplete="current-password"
        required
      />
      <FormLine>
        <div className="acts">
          <Submit kind="danger">{m.deleteFinal}</Submit>
          <Button kind="plain" onClick={onClose}>
            {common.cancel}
          </Button>
        </div>
      </FormLine>
    </Form>
  )
}
