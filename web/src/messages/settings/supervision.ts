import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

/** What a person allows a credential only after looking at it; the reasons follow "Asks before". */
export const supervisionMessages = defineMessages('supervision', {
  offer: 'Ask me before some of its changes',
  label: 'Ask me before it',
  hint: 'Such a request waits in your inbox until you allow or refuse it.',
  deletions: 'deletes something',
  moves: 'moves something to another project',
  webhooks: 'changes webhooks',
  members: 'changes projects or their members',
  perRequest: 'Records a request',
  perRequestHint: 'Ask me before one request changes more records than this. Empty: any number.',
  perHour: 'Records an hour',
  perHourHint: 'Ask me before it has changed more records than this within an hour.',
  none: 'Not supervised',
  asks: (what: string) => `Asks before it ${what}`,
  manyAtOnce: (n: number) =>
    plural(n, {
      one: 'changes more than # record in a request',
      other: 'changes more than # records in a request',
    }),
  manyAnHour: (n: number) => `changes more than ${formatNumber(n)} records in an hour`,
  paused: 'stopped',
})
