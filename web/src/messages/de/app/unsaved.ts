import type { unsavedMessages } from '../../app/unsaved.ts'
import { plural } from '../../plural.ts'

const UNSENT = {
  one: '# Änderung ist noch nicht gesendet und ginge verloren.',
  other: '# Änderungen sind noch nicht gesendet und gingen verloren.',
}
const DRAFTS = {
  one: '# Entwurf ist nur in diesem Browser und ginge verloren.',
  other: '# Entwürfe sind nur in diesem Browser und gingen verloren.',
}

export const germanUnsaved: typeof unsavedMessages = {
  signOutTitle: 'Trotzdem abmelden?',
  unsent: (count) => plural(count, UNSENT),
  drafts: (count) => plural(count, DRAFTS),
  signOutAnyway: 'Abmelden und Änderungen verwerfen',
  otherTitle: 'Arbeit einer anderen Person verwerfen?',
  otherAction: 'Verwerfen und anmelden',
  formTitle: 'Eingaben verwerfen?',
  form: 'Was Sie eingegeben haben, ginge verloren.',
  formText: 'Sie sind nicht gespeichert.',
  discard: 'Verwerfen',
  typeName: (name) => `Zur Bestätigung „${name}“ eingeben`,
  leavingAsks: 'Sie haben es noch nicht kopiert.',
}
