import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

const UNSENT = {
  one: '# change has not been sent yet. It is lost if you sign out now.',
  other: '# changes have not been sent yet. They are lost if you sign out now.',
}
const DRAFTS = {
  one: '# text that you have begun is only in this browser. It is lost if you sign out now.',
  other: '# texts that you have begun are only in this browser. They are lost if you sign out now.',
}

/** Texts of the questions before something is lost that is in this browser alone. */
export const unsavedMessages = defineMessages('unsaved', {
  signOutTitle: 'Sign out anyway?',
  unsent: (count: number) => plural(count, UNSENT),
  drafts: (count: number) => plural(count, DRAFTS),
  signOutAnyway: 'Sign out and discard changes',
  formTitle: 'Discard what you have entered?',
  formText: 'It has not been saved.',
  discard: 'Discard',
})
