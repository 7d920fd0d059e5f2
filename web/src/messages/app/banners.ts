import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

const UNSAVED = { one: '# unsaved change', other: '# unsaved changes' }

/** Texts of the banners that few pages show. */
export const bannerMessages = defineMessages('banners', {
  conflict: (id: string) =>
    `Someone else also changed ${id}. Open it to choose which version to keep.`,
  open: 'Open',
  unsaved: 'Not saved',
  retry: 'Retry',
  discard: 'Discard',
  copyText: 'Copy text',
  notStored: 'This browser cannot store unsent changes. Keep this page open until they are saved',
  rateLimited: (seconds: number) =>
    `The request limit of this minute is reached. Resuming in ${seconds} s`,
  rateLimitedNotice:
    'The request limit of this minute is reached. Docket will resume automatically.',
  retryAll: 'Retry all',
  manyUnsaved: (count: number) => plural(count, UNSAVED),
  changing: (done: number, all: number) => `${formatNumber(done)} of ${formatNumber(all)} changed`,
  stop: 'Stop',
  runningTimer: 'Running timer',
  stopTimer: 'Stop timer',
  newVersion: 'A new version of Docket is available',
  anotherWorkspace: 'another workspace',
  otherWorkspace: (name: string) =>
    `You switched to ${name} in another tab. This tab is paused until you switch back`,
  switchBack: 'Switch back',
  otherPerson: (name: string) => `${name} signed in from another tab. This tab is paused`,
  loadAnew: 'Reload page',
})
