import { showToast } from '../../data/app/toasts.ts'
import { countAllUnsentMutations } from '../../data/mutations/mutation-queue.ts'
import { signOutAndClear } from '../../data/session/session-actions.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'
import { openConfirmDialog } from '../../ui/overlays/dialog.tsx'

/**
 * Asks whether changes that are not sent yet may be lost, also those of other tabs and workspaces;
 * true if there are none. The page needs an `OverlayHost`.
 */
export async function confirmUnsentLoss(): Promise<boolean> {
  const count = await countAllUnsentMutations()
  if (count === 0) return true
  return openConfirmDialog({
    title: shellMessages.unsentTitle,
    text: shellMessages.unsentText(count),
    action: shellMessages.signOutAnyway,
    danger: true,
  })
}

/** Signs out, after a question if unsent changes would be lost. Throws if that fails. */
export async function signOutIfConfirmed(): Promise<void> {
  if (await confirmUnsentLoss()) await signOutAndClear()
}

/** Signs out like `signOutIfConfirmed`, and shows a failure as a toast. */
export async function confirmSignOut(): Promise<void> {
  try {
    await signOutIfConfirmed()
  } catch (error) {
    showToast({ text: getErrorMessage(error), tone: 'trouble' })
  }
}
