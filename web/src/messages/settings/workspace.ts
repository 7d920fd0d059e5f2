import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

/** Texts of the workspace settings and usage. */
export const workspaceMessages = defineMessages('workspace', {
  why: 'Settings for everyone in this workspace.',
  general: 'General',
  name: 'Name',
  id: 'ID',
  idHint: 'Identifies this workspace in commands and in the API.',
  copyId: 'Copy workspace ID',
  zone: 'Time zone',
  zoneHint: 'Used for due dates and recurring tasks.',
  plan: 'Plan',
  plans: { free: 'Free', paid: 'Paid' },
  planHint: (n: number) =>
    `${formatNumber(n)} requests per minute for API keys and applications, and as many for the web app.`,
  planOwners: 'Only owners can change the plan.',
  saved: 'Workspace saved',
  deletion: 'Delete this workspace',
  deletionWhy:
    'API keys, applications and webhooks stop at once, and everyone loses access. Owners can restore the workspace for 30 days; then it is erased with all tasks, files and comments.',
  deletionOwners: 'Only owners can delete the workspace.',
  deleteDo: 'Delete workspace …',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteName: (name: string) => `Type “${name}” to confirm`,
  deletePassword: 'Password',
  deleteFinal: 'Delete workspace',
  usage: 'API usage',
  usageFinding: (peak: number, limit: number, at: string) =>
    `Peak: ${formatNumber(peak)} of ${formatNumber(limit)} requests per minute, at ${at}`,
  usageRefused: (n: number, minutes: number) =>
    `${plural(n, { one: '# request was', other: '# requests were' })} rejected in ${plural(minutes, { one: '# minute', other: '# minutes' })}.`,
  usageNone: 'No requests by API keys or applications in the last 24 hours',
  usageWhy:
    'Requests per minute by API keys and applications over the last 24 hours. The web app has a limit of its own.',
  webAppUsage: (peak: number, limit: number, at: string) =>
    `Web app: peak of ${formatNumber(peak)} of ${formatNumber(limit)} requests per minute, at ${at}.`,
  storage: (used: string, limit: string) => `Storage: ${used} of ${limit}.`,
  chart: 'Chart',
  table: 'Table',
  limit: (n: number) => `limit ${formatNumber(n)}`,
  hourColumns: ['Hour', 'Requests', 'Peak per minute', 'Rejected (429)'],
  chartLabel: (finding: string) =>
    `${finding}. Use the arrow keys to read the chart, or open the table.`,
  readout: (at: string, used: number, refused: number) =>
    refused === 0
      ? `${at}: ${formatNumber(used)} per minute`
      : `${at}: ${formatNumber(used)} per minute, ${formatNumber(refused)} rejected`,
  now: 'now',
  hoursAgo: (n: number) => `-${n} h`,
  top: 'Top clients',
  topColumns: ['Requests', 'Credential', 'Type'],
  types: {
    api_key: 'API key',
    oauth: 'application',
    session: 'web app',
    others: 'all others',
  },
})
