import { showToast } from '../../data/app/toasts.ts'
import { mutationQueue } from '../../data/mutations/mutation-queue.ts'
import { signOutAndClear } from '../../data/session/session-actions.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'
import { openConfirmDialog } from '../../ui/overlays/dialog.tsx'

/** Signs out. Asks first if changes that are not sent yet would be lost. */
export async function confirmSignOut(): Promise<void> {
  const { length } = mutationQueue.get()
  const question = {
    title: shellMessages.unsentTitle,
    text: shellMessages.unsentText(length),
    action: shellMessages.signOutAnyway,
  }
  if (length > 0 && !(await openConfirmDialog({ ...question, danger: true }))) return
  try {
    await signOutAndClear()
  } catch (error) {
    showToast({ text: getErrorMessage(error), tone: 'trouble' })
  }
}
