import { countAllUnsentMutations } from '../../data/mutations/mutation-queue.ts'
import { signOutAndClear } from '../../data/session/sign-out.ts'
import { countDrafts } from '../../lib/state/drafts.ts'
import { unsavedMessages } from '../../messages/app/unsaved.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { unsavedForms } from '../../ui/form/unsaved-forms.ts'
import { openConfirmDialog } from '../../ui/overlays/dialog.tsx'

/**
 * What signing out would lose: changes that are not sent yet and drafts, also those of other tabs and
 * workspaces, and the forms of this page. Undefined if there are none.
 */
export async function describeSignOutLoss(): Promise<string | undefined> {
  const unsent = await countAllUnsentMutations()
  const drafts = countDrafts()
  const losses = [
    ...(unsent > 0 ? [unsavedMessages.unsent(unsent)] : []),
    ...(drafts > 0 ? [unsavedMessages.drafts(drafts)] : []),
    ...(unsavedForms.get().length > 0 ? [unsavedMessages.form] : []),
  ]
  return losses.length > 0 ? losses.join(' ') : undefined
}

/**
 * Asks whether what signing out would lose may be lost; true if there is nothing. The page needs an
 * `OverlayHost`.
 */
export const confirmSignOutLoss = (): Promise<boolean> =>
  confirmLoss(unsavedMessages.signOutTitle, unsavedMessages.signOutAnyway)

/** Asks the same of who signs in where somebody else has worked. */
export const confirmLossOfOthers = (): Promise<boolean> =>
  confirmLoss(unsavedMessages.otherTitle, unsavedMessages.otherAction)

async function confirmLoss(title: string, action: string): Promise<boolean> {
  const text = await describeSignOutLoss()
  return text === undefined || openConfirmDialog({ title, text, action, danger: true })
}

/** Signs out, after a question if something would be lost. Throws if that fails. */
export async function signOutIfConfirmed(): Promise<void> {
  if (await confirmSignOutLoss()) await signOutAndClear()
}

/** Signs out like `signOutIfConfirmed`, and shows a failure as a toast. */
export async function confirmSignOut(): Promise<void> {
  try {
    await signOutIfConfirmed()
  } catch (error) {
    showErrorToast(error)
  }
}
