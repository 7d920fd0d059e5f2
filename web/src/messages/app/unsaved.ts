import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

const UNSENT = {
  one: '# change has not been sent yet and would be lost.',
  other: '# changes have not been sent yet and would be lost.',
}
const DRAFTS = {
  one: '# draft is in this browser alone and would be lost.',
  other: '# drafts are in this browser alone and would be lost.',
}

/** Texts of the questions before something is lost that is in this browser alone. */
export const unsavedMessages = defineMessages('unsaved', {
  signOutTitle: 'Sign out anyway?',
  unsent: (count: number) => plural(count, UNSENT),
  drafts: (count: number) => plural(count, DRAFTS),
  signOutAnyway: 'Sign out and discard changes',
  otherTitle: 'Discard the work of somebody else?',
  otherAction: 'Discard it and sign in',
  formTitle: 'Discard what you have entered?',
  form: 'What you have entered would be lost.',
  formText: 'It has not been saved.',
  discard: 'Discard',
  typeName: (name: string) => `Type “${name}” to confirm`,
  leavingAsks: 'You have not copied it yet.',
})
