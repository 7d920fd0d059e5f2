import { shellMessages } from '../../../messages/app/shell.ts'
import { memberMessages } from '../../../messages/settings/members.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { isPasswordRequired } from '../../../ui/form/password-confirmation.tsx'
import { openReauthenticationDialog } from '../profile/reauthentication-form.tsx'
import { showErrorToast } from '../show-error-toast.ts'

/**
 * Sends a request that may make somebody an owner. If the API wants the password for that, a dialog
 * asks for it; any other error is shown.
 */
export async function requestOwner(
  title: string,
  send: (confirmation: { current_password?: string }) => Promise<void>,
): Promise<void> {
  try {
    await send({})
  } catch (error) {
    if (!isPasswordRequired(error)) return showErrorToast(error)
    openReauthenticationDialog({
      title,
      text: `${shellMessages.roles.owner}: ${memberMessages.roleHints.owner}`,
      action: settingsMessages.save,
      methods: { has_password: true },
      send: ({ current_password = '' }) => send({ current_password }),
    })
  }
}
