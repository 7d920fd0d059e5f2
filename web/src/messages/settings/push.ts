import { defineRareMessages } from '../define-rare-messages.ts'

/** Texts of the notifications that a device shows while Docket is closed. */
export const pushMessages = await defineRareMessages('push', {
  show: 'Show notifications on this device',
  available: 'Also while Docket is closed.',
  blocked: 'Your browser blocks notifications. Allow them for this site in its settings.',
  unsupported:
    'This browser cannot show notifications. On an iPhone or iPad, add Docket to the Home Screen and open it from there.',
  offOn: (device: string) => `Turn off notifications on ${device}`,
  quiet: 'Quiet hours',
  noQuiet: 'Off',
  quietTo: 'Quiet hours: until',
})
