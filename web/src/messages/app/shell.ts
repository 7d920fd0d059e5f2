import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

const UNSAVED = { one: '# unsaved change', other: '# unsaved changes' }
const UNSENT = {
  one: '# change has not been sent yet. It is lost if you sign out now.',
  other: '# changes have not been sent yet. They are lost if you sign out now.',
}

/** Texts of the app shell around every screen. */
export const shellMessages = defineMessages('shell', {
  pageTrouble: 'This page could not be loaded',
  unknownTrouble: 'Something went wrong.',
  tryAgain: 'Try again',
  missing: 'Page not found',
  toMyWork: 'Go to My work',
  skip: 'Skip to content',
  main: 'Main',
  mainNarrow: 'Main (compact)',
  find: 'Search',
  menuShort: 'Menu',
  newShort: 'New',
  account: (name: string) => `Account of ${name}`,
  profile: 'Profile and devices',
  shortcuts: 'Keyboard shortcuts',
  tour: 'Take the tour',
  messageHistory: 'Message history',
  dark: 'Dark theme',
  light: 'Light theme',
  signOut: 'Sign out',
  goWork: 'Go to My work',
  goInbox: 'Go to Inbox',
  goProjects: 'Go to Projects',
  goReports: 'Go to Reports',
  goSettings: 'Go to Settings',
  palette: 'Search or run a command',
  everywhere: 'Everywhere',
  switchTyped: 'Switch to ',
  close: 'Close',
  singleKeys: 'Single-key shortcuts (turn off if you use dictation)',
  myWork: 'My work',
  inbox: 'Inbox',
  unread: (count: number) => plural(count, { one: '# unread', other: '# unread' }),
  reports: 'Reports',
  overdue: 'Overdue',
  projects: 'Projects',
  views: 'Pinned views',
  allProjects: 'All projects',
  settings: 'Settings',
  newTask: 'New task',
  newTaskIn: (project: string) => `New task in ${project}`,
  switchWorkspace: 'Switch workspace',
  deletedWorkspace: 'deleted',
  roles: { owner: 'Owner', admin: 'Admin', member: 'Member', guest: 'Guest' },
  switchFrom: (name: string) => `${name}. Switch workspace`,
  offline: (count: number) =>
    count === 0
      ? 'You are offline'
      : plural(count, {
          one: 'You are offline. # change will be sent when you reconnect',
          other: 'You are offline. # changes will be sent when you reconnect',
        }),
  unanswered: 'Docket is not responding',
  readSince: (when: string) => `. Showing data from ${when}`,
  unsaved: 'Not saved',
  retry: 'Retry',
  discard: 'Discard',
  copyText: 'Copy text',
  notStored: 'This browser cannot store unsent changes. Keep this page open until they are saved',
  rateLimited: (seconds: number) =>
    `The request limit of this minute is reached. Resuming in ${seconds} s`,
  rateLimitedNotice:
    'The request limit of this minute is reached. Docket will resume automatically.',
  anotherWorkspace: 'another workspace',
  otherWorkspace: (name: string) =>
    `You switched to ${name} in another tab. This tab is paused until you switch back`,
  switchBack: 'Switch back',
  otherPerson: (name: string) => `${name} signed in from another tab. This tab is paused`,
  loadAnew: 'Reload page',
  retryAll: 'Retry all',
  manyUnsaved: (count: number) => plural(count, UNSAVED),
  unsentTitle: 'Sign out anyway?',
  unsentText: (count: number) => plural(count, UNSENT),
  signOutAnyway: 'Sign out and discard changes',
  changing: (done: number, all: number) => `${formatNumber(done)} of ${formatNumber(all)} changed`,
  stop: 'Stop',
  newVersion: 'A new version of Docket is available',
  reload: 'Reload',
})
