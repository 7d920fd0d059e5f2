import { defineRareMessages } from '../define-rare-messages.ts'

/** What the buttons beside refusals do (data/app/remedies.ts), and what they have done. */
export const remedyMessages = await defineRareMessages('remedies', {
  addPeople: (people: string, project: string) => `Add ${people} to ${project}`,
  addedPeople: (people: string, project: string) => `Added ${people} to ${project}`,
  unarchive: (project: string) => `Unarchive ${project}`,
  unarchived: (project: string) => `Unarchived ${project}`,
  turnOnWebhook: 'Turn on webhook',
  turnedOnWebhook: 'Turned on webhook',
  openMembers: 'Show owners and admins',
  openUsage: 'Open usage',
  openProfile: 'Open profile',
  openImport: 'Open import and export',
})
