import { unsavedMessages } from '../../messages/app/unsaved.ts'
import { unsavedForms } from '../form/unsaved-forms.ts'
import { openConfirmDialog } from './dialog.tsx'

/** Asks whether the edits of forms within an element may be lost; true if there are none. */
export async function confirmFormLoss(within: Element | null): Promise<boolean> {
  if (!unsavedForms.get().some((form) => within?.contains(form))) return true
  return openConfirmDialog({
    title: unsavedMessages.formTitle,
    text: unsavedMessages.formText,
    action: unsavedMessages.discard,
    danger: true,
  })
}
