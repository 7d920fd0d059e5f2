import type { eraseAccount } from '#accounts/contract.ts'
import { signOut } from '../../../data/session.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'
import { FormLine, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { Band } from '../head.tsx'

/** The way out of Docket for a person. */
export function Erase() {
  const open = () =>
    openDialog({ title: m.eraseTitle, body: (close) => <EraseForm onClose={close} /> })
  const acts = (
    <Button kind="danger" onClick={open}>
      {m.eraseDo}
    </Button>
  )
  return (
    <section aria-label={m.erase}>
      <Band title={m.erase} acts={acts} />
      <div className="line set-note">
        <span className="gut" />
        <p>{m.eraseWhy}</p>
      </div>
    </section>
  )
}

function EraseForm({ onClose }: { onClose: () => void }) {
  const send = async ({ current_password = '' }) => {
    const body = { current_password }
    await call<typeof eraseAccount>('DELETE /internal/account', { body })
    await signOut()
  }
  return (
    <Form label={m.eraseTitle} onSubmit={send}>
      <FormLine>
        <p>{m.eraseWhy}</p>
      </FormLine>
      <TextField
        label={m.erasePassword}
        name="current_password"
        type="password"
        autoComplete="current-password"
        required
      />
      <FormLine>
        <div className="acts">
          <Submit kind="danger">{m.eraseFinal}</Submit>
          <Button kind="plain" onClick={onClose}>
            {m.cancel}
          </Button>
        </div>
      </FormLine>
    </Form>
  )
}
