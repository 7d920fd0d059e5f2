import type { remedyMessages } from '../../app/remedies.ts'

export const germanRemedies: typeof remedyMessages = {
  addPeople: (people, project) => `${people} zu ${project} hinzufügen`,
  addedPeople: (people, project) => `${people} zu ${project} hinzugefügt`,
  unarchive: (project) => `Archivierung von ${project} aufheben`,
  unarchived: (project) => `Archivierung von ${project} aufgehoben`,
  turnOnWebhook: 'Webhook einschalten',
  turnedOnWebhook: 'Webhook eingeschaltet',
  openMembers: 'Inhaber und Admins anzeigen',
  openUsage: 'Nutzung öffnen',
  openProfile: 'Profil öffnen',
  openImport: 'Import und Export öffnen',
}
