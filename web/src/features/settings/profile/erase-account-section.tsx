import type { eraseAccount } from '#accounts/contract.ts'
import { signOutAndClear } from '../../../data/session/sign-out.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { useHasPassword } from './sign-in-methods-query.ts'

/** Erases the person's account, after a confirmation with the password of those who have one. */
export function EraseAccountSection() {
  const open = () =>
    openDialog({
      title: settingsMessages.eraseTitle,
      body: (close) => <EraseAccountForm onClose={close} />,
    })
  const actions = (
    <Button kind="danger" onClick={open}>
      {settingsMessages.eraseDo}
    </Button>
  )
  return (
    <section aria-label={settingsMessages.erase}>
      <SectionHeader title={settingsMessages.erase} actions={actions} />
      <div className="line set-note">
        <span className="gut" />
        <p>{settingsMessages.eraseWhy}</p>
      </div>
    </section>
  )
}

function EraseAccountForm({ onClose }: { onClose: () => void }) {
  const hasPassword = useHasPassword()
  const send = async ({ current_password }: { current_password?: string }) => {
    const body = { ...(current_password && { current_password }) }
    await requestEndpoint<typeof eraseAccount>('DELETE /internal/account', { body })
    await signOutAndClear()
  }
  return (
    <Form label={settingsMessages.eraseTitle} onSubmit={send}>
      <FormLine>
        <p>{settingsMessages.eraseWhy}</p>
      </FormLine>
      {hasPassword && (
        <TextField
          label={settingsMessages.erasePassword}
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
      <FormLine>
        <div className="acts">
          <SubmitButton kind="danger">{settingsMessages.eraseFinal}</SubmitButton>
          <Button kind="plain" onClick={onClose}>
            {settingsMessages.cancel}
          </Button>
        </div>
      </FormLine>
    </Form>
  )
}
