import type { unsavedMessages } from '../../app/unsaved.ts'
import { plural } from '../../plural.ts'

const UNSENT = {
  one: '# Änderung wurde noch nicht gesendet. Sie geht verloren, wenn Sie sich jetzt abmelden.',
  other:
    '# Änderungen wurden noch nicht gesendet. Sie gehen verloren, wenn Sie sich jetzt abmelden.',
}
const DRAFTS = {
  one: '# begonnener Text ist nur in diesem Browser. Er geht verloren, wenn Sie sich jetzt abmelden.',
  other:
    '# begonnene Texte sind nur in diesem Browser. Sie gehen verloren, wenn Sie sich jetzt abmelden.',
}

export const germanUnsaved: typeof unsavedMessages = {
  signOutTitle: 'Trotzdem abmelden?',
  unsent: (count) => plural(count, UNSENT),
  drafts: (count) => plural(count, DRAFTS),
  signOutAnyway: 'Abmelden und Änderungen verwerfen',
  formTitle: 'Eingaben verwerfen?',
  formText: 'Sie sind nicht gespeichert.',
  discard: 'Verwerfen',
}
