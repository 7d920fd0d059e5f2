import { number, plural } from './plural.ts'
import { say } from './say.ts'

const UNSAVED = { one: '# change is not saved', other: '# changes are not saved' }
const UNSENT = {
  one: '# change has not reached the server yet. It is lost if you sign out now.',
  other: '# changes have not reached the server yet. They are lost if you sign out now.',
}

/** Texts of the frame around every screen. */
export const m = say('shell', {
  pageTrouble: 'This page cannot be shown',
  unknownTrouble: 'Something failed in the app.',
  tryAgain: 'Try again',
  missing: 'There is nothing at this address',
  toMyWork: 'To my work',
  skip: 'Skip to the content',
  main: 'Main',
  mainNarrow: 'Main, narrow',
  find: 'Find or do',
  findKeys: 'Ctrl K',
  menuShort: 'Menu',
  newShort: 'New',
  account: (name: string) => `Account of ${name}`,
  profile: 'Profile and devices',
  shortcuts: 'Keyboard shortcuts',
  tour: 'Tour',
  told: 'Messages of this page',
  dark: 'Dark theme',
  light: 'Light theme',
  signOut: 'Sign out',
  goWork: 'Go to my work',
  goInbox: 'Go to the inbox',
  goProjects: 'Go to projects',
  goReports: 'Go to reports',
  goSettings: 'Go to settings',
  palette: 'Find or do',
  everywhere: 'Everywhere',
  switchTyped: 'Switch to ',
  close: 'Close',
  singleKeys: 'Single letters do something (switch off if you dictate)',
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
  switchWorkspace: 'Switch workspace',
  deletedWorkspace: 'deleted',
  switchFrom: (name: string) => `${name}. Switch workspace`,
  offline: (count: number) =>
    count === 0
      ? 'No network'
      : plural(count, {
          one: 'No network. # change will be sent when it is back',
          other: 'No network. # changes will be sent when it is back',
        }),
  unanswered: 'Docket does not answer',
  readSince: (when: string) => `. What you see is of ${when}`,
  unsaved: 'Not saved',
  retry: 'Retry',
  discard: 'Discard',
  limited: (seconds: number) =>
    `The workspace has used its requests of this minute. Going on in ${seconds} s`,
  limitedTold: 'The workspace has used its requests of this minute. It goes on by itself.',
  elsewhere: (name: string) =>
    `Another tab has switched to ${name}. This one neither reads nor writes until you switch back`,
  switchBack: 'Switch back',
  someoneElse: (name: string) =>
    `${name} has signed in in another tab. This one neither reads nor writes any more`,
  loadAnew: 'Load the page anew',
  retryAll: 'Retry all',
  manyUnsaved: (count: number) => plural(count, UNSAVED),
  unsentTitle: 'Sign out all the same?',
  unsentText: (count: number) => plural(count, UNSENT),
  signOutAnyway: 'Sign out and lose them',
  changing: (done: number, all: number) => `${number(done)} of ${number(all)} changed`,
  stop: 'Stop',
  newVersion: 'A new version of Docket is there',
  reload: 'Reload',
})
