import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

/** Texts of imports from other tools and of workspace exports. */
export const transferMessages = defineMessages('transfer', {
  export: 'Export',
  exportWhy:
    'Download the whole workspace as one file: projects, tasks, comments, attachments and people, without passwords or keys. Use docket import to restore it on any installation.',
  exportOwners: 'Only owners can export the workspace.',
  exportMake: 'Create export',
  exporting: (what: string) => (what === '' ? 'Exporting …' : `Exporting: ${what}`),
  exportDownload: (name: string) => `Download ${name}`,
  exportUntil: 'until',
  exportExpired: 'The last export has expired. Exports can be downloaded for 24 hours.',
  import: 'Import',
  importWhy:
    'Import tasks from Docket, Trello, Linear, Jira, Todoist, GitHub, Vikunja or any CSV file. You see a preview before anything is created.',
  choose: 'Choose file',
  file: 'File',
  sending: (part: string) => `Uploading, ${part}`,
  reading: (n: number) => `Reading, ${plural(n, { one: '# row so far', other: '# rows so far' })}`,
  found: (good: number, bad: number) =>
    `${plural(good, { one: '# task', other: '# tasks' })} ready to import, ${plural(bad, { one: '# row', other: '# rows' })} skipped.`,
  columns: 'Columns',
  noColumn: 'Do not import',
  fields: {
    title: 'Title',
    description: 'Description',
    status: 'Status',
    priority: 'Priority',
    assignees: 'Assignees',
    tags: 'Tags',
    project: 'Project',
    start_date: 'Start date',
    due_date: 'Due date',
    estimate: 'Estimate',
    parent: 'Parent task',
    blocked_by: 'Blocked by',
    id: 'ID',
    completed: 'Completed',
  },
  projects: 'Projects',
  newProject: 'New project',
  allTasks: 'All tasks',
  statuses: 'Statuses',
  categories: {
    backlog: 'Backlog',
    unstarted: 'To do',
    started: 'In progress',
    completed: 'Done',
    canceled: 'Canceled',
  },
  people: 'People',
  nobody: 'No member',
  peopleHint: 'If a person doesn’t match a member, their name is added to the task description.',
  kind: 'Format',
  kinds: {
    csv: 'CSV',
    trello: 'Trello (JSON)',
    linear: 'Linear (CSV)',
    jira: 'Jira (CSV)',
    todoist: 'Todoist (CSV, ZIP)',
    github: 'GitHub (JSON)',
    vikunja: 'Vikunja (ZIP)',
    docket: 'Docket (archive)',
  },
  latin1: 'The file is encoded as Windows-1252 (Latin-1)',
  sample: 'Preview',
  sampleColumns: ['Row', 'Title', 'Status', 'Due date', 'Assignees', 'Tags'],
  faults: 'Skipped rows',
  faultColumns: ['Row', 'Title', 'Reason'],
  download: 'Download as CSV',
  start: (n: number) => plural(n, { one: 'Import # task', other: 'Import # tasks' }),
  nothing: 'No rows can be imported.',
  notTakenOver: (list: string) => `Not imported: ${list}.`,
  omissions: {
    attachments: (n: number) =>
      plural(n, { one: '# attachment (as a link)', other: '# attachments (as links)' }),
    comments: (n: number) =>
      plural(n, {
        one: '# comment that is not in the file',
        other: '# comments that are not in the file',
      }),
    covers: (n: number) => plural(n, { one: '# cover', other: '# covers' }),
    stickers: (n: number) => plural(n, { one: '# sticker', other: '# stickers' }),
    votes: (n: number) => plural(n, { one: '# vote', other: '# votes' }),
    reactions: (n: number) => plural(n, { one: '# reaction', other: '# reactions' }),
    reminders: (n: number) => plural(n, { one: '# reminder', other: '# reminders' }),
    time_entries: (n: number) => plural(n, { one: '# time entry', other: '# time entries' }),
    pull_requests: (n: number) => plural(n, { one: '# pull request', other: '# pull requests' }),
    project_comments: (n: number) =>
      plural(n, { one: '# comment on a project', other: '# comments on projects' }),
    saved_filters: (n: number) => plural(n, { one: '# saved filter', other: '# saved filters' }),
    power_up_values: (n: number) =>
      plural(n, { one: '# value of Power-Ups', other: '# values of Power-Ups' }),
    views: (n: number) => plural(n, { one: '# view', other: '# views' }),
    templates: (n: number) => plural(n, { one: '# template', other: '# templates' }),
    webhooks: (n: number) => plural(n, { one: '# webhook', other: '# webhooks' }),
    applications: (n: number) => plural(n, { one: '# application', other: '# applications' }),
    activity: (n: number) =>
      plural(n, { one: '# entry of the activity', other: '# entries of the activity' }),
    deleted_tasks: (n: number) => plural(n, { one: '# deleted task', other: '# deleted tasks' }),
  },
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  running: (done: number, all: number) =>
    `Importing, ${formatNumber(done)} of ${formatNumber(all)} rows`,
  paused: (done: number, all: number) =>
    `Paused at ${formatNumber(done)} of ${formatNumber(all)} rows`,
  undoing: (left: number) =>
    `Undoing, ${plural(left, { one: '# task left', other: '# tasks left' })}`,
  done: (n: number, bad: number) =>
    `${plural(n, { one: '# task', other: '# tasks' })} imported, ${plural(bad, { one: '# row', other: '# rows' })} skipped.`,
  canceled: (n: number) =>
    `Canceled. ${plural(n, { one: '# task was', other: '# tasks were' })} imported.`,
  undone: 'Import undone. The imported tasks are in the trash.',
  failed: 'The file could not be imported. Check its format and try again.',
  undo: 'Undo import',
})
