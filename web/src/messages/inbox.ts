import { plural } from './plural.ts'
import { say } from './say.ts'

/** Texts of the inbox, of watching a task, and of how one is told. */
export const m = say('inbox', {
  title: 'Inbox',
  views: 'What to show',
  tabs: { all: 'All', mentioned: 'Mentions', assigned: 'Assigned', snoozed: 'Later', done: 'Done' },
  empty: 'Nothing needs you.',
  list: 'Notifications',
  more: 'Show more',
  unread: (count: number) => plural(count, { one: '# unread', other: '# unread' }),
  next: 'Next',
  previous: 'Previous',
  doneKey: 'Done',
  unreadKey: 'Read or unread',
  snoozeKey: 'Later',
  allDone: 'All done',
  done: (name: string) => `Done: ${name}`,
  reopen: (name: string) => `Back into the inbox: ${name}`,
  read: (name: string) => `Mark as read: ${name}`,
  unreadOf: (name: string) => `Mark as unread: ${name}`,
  snooze: (name: string) => `Later: ${name}`,
  toldDone: (count: number) =>
    plural(count, { one: '# notification is done', other: '# notifications are done' }),
  toldBack: (count: number) =>
    plural(count, { one: '# notification is back', other: '# notifications are back' }),
  toldLater: (when: string) => `It comes back ${when}`,
  inHours: 'In three hours',
  tomorrow: 'Tomorrow morning',
  nextWeek: 'Next Monday',
  someone: 'Someone',
  kinds: {
    mentioned: (who: string) => `${who} named you`,
    assigned: (who: string) => `${who} gave it to you`,
    commented: (who: string) => `${who} commented`,
    due: { today: 'Due today', overdue: 'Overdue' },
    webhook: {
      disabled: 'Docket has disabled this webhook',
      failing: 'This webhook has failed for an hour',
    },
  },
  others: (count: number) => plural(count, { one: 'and # more', other: 'and # more' }),
  watch: 'Watch',
  watching: {
    chosen: 'You watch this task. Hear nothing more of it',
    created: 'You made this task, and so you watch it. Hear nothing more of it',
    assigned: 'This task is yours, and so you watch it. Hear nothing more of it',
  },
  settings: 'Notifications',
  settingsWhy:
    'In this workspace. What you do yourself is never told to you, nor what you may not see.',
  settingsKinds: {
    mentioned: 'Somebody names you',
    assigned: 'You are given a task',
    commented: 'A comment on a task that you watch',
    due: 'A task of yours is due or overdue',
    webhook: 'A webhook fails or is disabled',
  },
  about: 'When',
  inbox: 'In the inbox',
  mail: 'By mail',
  mails: { soon: 'Within minutes', daily: 'Once a day', never: 'Never' },
  hour: 'Daily mail at',
  hourHint: 'In your time zone.',
  noMail: 'This Docket sends no mail: its operator has set up no mail server.',
})
