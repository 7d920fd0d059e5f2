import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of the inbox, of watching a task, and of notification settings. */
export const inboxMessages = defineMessages('inbox', {
  title: 'Inbox',
  views: 'Filter',
  tabs: {
    all: 'All',
    mentioned: 'Mentions',
    assigned: 'Assigned',
    snoozed: 'Snoozed',
    done: 'Done',
  },
  empty: 'You are all caught up.',
  list: 'Notifications',
  more: 'Show more',
  unread: (count: number) => plural(count, { one: '# unread', other: '# unread' }),
  next: 'Next notification',
  previous: 'Previous notification',
  doneKey: 'Mark as done',
  unreadKey: 'Mark as read or unread',
  snoozeKey: 'Snooze',
  allDone: 'Mark all as done',
  done: (name: string) => `Mark as done: ${name}`,
  reopen: (name: string) => `Move to inbox: ${name}`,
  read: (name: string) => `Mark as read: ${name}`,
  unreadOf: (name: string) => `Mark as unread: ${name}`,
  snooze: (name: string) => `Snooze: ${name}`,
  markedDone: (count: number) =>
    plural(count, {
      one: '# notification marked as done',
      other: '# notifications marked as done',
    }),
  movedBack: (count: number) =>
    plural(count, {
      one: '# notification moved to the inbox',
      other: '# notifications moved to the inbox',
    }),
  snoozed: (when: string) => `Snoozed until ${when}`,
  inHours: 'In 3 hours',
  tomorrow: 'Tomorrow morning',
  nextWeek: 'Next Monday',
  someone: 'Someone',
  program: 'A program',
  request: (who: string, n: number) =>
    n === 0
      ? `Request by ${who}`
      : plural(n, { one: `# change by ${who}`, other: `# changes by ${who}` }),
  kinds: {
    mentioned: (who: string) => `${who} mentioned you`,
    assigned: (who: string) => `${who} assigned you`,
    commented: (who: string) => `${who} commented`,
    due: { today: 'Due today', overdue: 'Overdue' },
    webhook: {
      disabled: 'Webhook disabled by Docket',
      failing: 'Webhook failing for an hour',
    },
    approval: 'Waits for your approval',
  },
  others: (count: number) => plural(count, { one: 'and # more', other: 'and # more' }),
  watch: 'Watch',
  watching: {
    chosen: 'You watch this task. Stop watching',
    created: 'You watch this task because you created it. Stop watching',
    assigned: 'You watch this task because it is assigned to you. Stop watching',
  },
  settings: 'Notifications',
  settingsWhy: 'For this workspace. You are not notified about your own changes.',
  settingsKinds: {
    mentioned: 'Someone mentions you',
    assigned: 'A task is assigned to you',
    commented: 'Someone comments on a task you watch',
    due: 'One of your tasks is due or overdue',
    webhook: 'A webhook fails or is disabled',
    approval: 'A program asks for your approval',
  },
  about: 'Event',
  inbox: 'Inbox',
  mail: 'Email',
  mails: { soon: 'Within minutes', daily: 'Daily', never: 'Never' },
  hour: 'Time of daily email',
  hourHint: 'In your time zone.',
  noMail: 'Email is not set up on this installation.',
})
