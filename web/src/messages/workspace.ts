import { number, plural } from './plural.ts'
import { say } from './say.ts'

/** Workspace and its usage. */
export const m = say('workspace', {
  why: 'What holds for everybody here.',
  general: 'General',
  name: 'Name',
  zone: 'Time zone',
  zoneHint: 'For what belongs to nobody, e.g. reports of the workspace.',
  plan: 'Plan',
  plans: { free: 'Free', paid: 'Paid' },
  planHint: (n: number) => `${number(n)} API requests a minute.`,
  planOwners: 'Only owners change it.',
  planLocked: 'The plan is set by whoever runs this installation.',
  saved: 'Workspace saved',
  deletion: 'Delete this workspace',
  deletionWhy:
    'Keys, applications and webhooks stop at once, and everybody is out. For 30 days owners can restore it as it was; then it is erased, with all tasks, files and comments.',
  deletionOwners: 'Only owners delete the workspace.',
  deleteDo: 'Delete workspace …',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteName: (name: string) => `Type its name: ${name}`,
  deletePassword: 'Your password',
  deleteFinal: 'Delete the workspace',
  usage: 'API usage',
  usageFinding: (peak: number, limit: number, at: string) =>
    `At most ${number(peak)} of ${number(limit)} requests a minute, at ${at}`,
  usageRefused: (n: number, minutes: number) =>
    `${plural(n, { one: '# request was', other: '# requests were' })} refused in ${plural(minutes, { one: '# minute', other: '# minutes' })}.`,
  usageNone: 'No request in the last 24 hours',
  usageWhy: 'Requests a minute over the last 24 hours; the app counts, too.',
  chart: 'Chart',
  table: 'Table',
  limit: (n: number) => `limit ${number(n)}`,
  hourColumns: ['Hour', 'Requests', 'Most in a minute', 'Refused (429)'],
  chartLabel: (finding: string) =>
    `${finding}. Arrow keys read the figures; the table has all of them.`,
  readout: (at: string, used: number, refused: number) =>
    refused === 0
      ? `${at}: ${number(used)} a minute`
      : `${at}: ${number(used)} a minute, ${number(refused)} refused`,
  now: 'now',
  hoursAgo: (n: number) => `-${n} h`,
  top: 'Who asked most',
  topColumns: ['Requests', 'Credential', 'Kind'],
  types: {
    api_key: 'API key',
    oauth: 'application',
    session: 'web app',
    others: 'all others',
  },
})
