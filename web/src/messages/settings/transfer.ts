import { defineRareMessages } from '../define-rare-messages.ts'
import { formatNumber, plural } from '../plural.ts'

/** Texts of imports from other tools and of workspace exports. */
export const transferMessages = await defineRareMessages('transfer', {
  export: 'Export',
  exportWhy:
    'Download the whole workspace as one file: projects, tasks, comments, attachments and people, without passwords or keys. Use docket import to restore it on any installation.',
  exportOwners: 'Only owners can export the workspace.',
  exportMake: 'Create export',
  exporting: (what: string) => (what === '' ? 'Exporting …' : `Exporting: ${what}`),
  exportDownload: (name: string) => `Download ${name}`,
  exportUntil: 'expires',
  exportExpired: 'The last export has expired. Exports can be downloaded for 24 hours.',
  why: 'Bring in tasks from another tool, or take everything out.',
  import: 'Import',
  importWhy:
    'Exports of Trello, Linear, Jira, Todoist, GitHub, Vikunja and Docket, or any table. You see a preview before anything is created.',
  steps: {
    file: 'File',
    format: 'What it is',
    questions: 'Questions',
    preview: 'Preview',
  },
  drop: 'Drop a file here',
  choose: 'Choose file',
  paste: 'Paste rows',
  rows: 'Rows',
  rowsHint: 'Copy them from a spreadsheet, or write one task per line.',
  rowsMissing: 'There are no rows yet',
  useRows: 'Use these rows',
  /** The name of the file that pasted rows become, and of their project. */
  pastedName: 'Pasted rows.csv',
  sending: (part: string) => `Uploading, ${part}`,
  reading: (n: number) => `Reading, ${plural(n, { one: '# row so far', other: '# rows so far' })}`,
  contents: (name: string, rows: number, columns: number) =>
    columns === 0
      ? `${name}: ${plural(rows, { one: '# task', other: '# tasks' })}`
      : `${name}: ${plural(rows, { one: '# row', other: '# rows' })}, ${plural(columns, { one: '# column', other: '# columns' })}`,
  found: (good: number, bad: number, warned: number) =>
    [
      `${plural(good, { one: '# task', other: '# tasks' })} ready to import.`,
      bad > 0 && `${plural(bad, { one: '# empty row is', other: '# empty rows are' })} skipped.`,
      warned > 0 && `${plural(warned, { one: '# row has', other: '# rows have' })} a warning.`,
    ]
      .filter(Boolean)
      .join(' '),
  columns: 'Columns',
  columnHeaders: ['Column', 'Name', 'First values', 'Becomes'],
  unnamedColumn: (n: number) => `Column ${n}`,
  noColumn: 'Not imported',
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
  questions: {
    projects: { title: 'Projects', question: 'Where do the tasks go?' },
    dates: {
      title: 'Dates',
      question: (example: string) => `Which comes first in ${example}, the day or the month?`,
    },
    people: {
      title: 'People',
      question: 'Who is this? The names of people who are not members go into the description.',
    },
    statuses: { title: 'Statuses', question: 'What does this status mean?' },
    priorities: { title: 'Priorities', question: 'Which priority is this?' },
  },
  recognized: 'Recognized names',
  usedIn: (task: string) => `in “${task}”`,
  newProject: 'New project',
  allTasks: 'All tasks',
  categories: {
    backlog: 'Backlog',
    unstarted: 'To do',
    started: 'In progress',
    completed: 'Done',
    canceled: 'Canceled',
  },
  nobody: 'Not a member',
  dateOrders: { day_first: 'Day first', month_first: 'Month first' },
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
  hasHeadings: 'The first row names the columns',
  sampleColumns: ['Row', 'Title', 'Status', 'Due date', 'Assignees', 'Tags'],
  faults: 'Skipped rows',
  emptyRow: 'The row has no title, and nothing else to make a task of.',
  faultColumns: ['Row', 'Title', 'Reason'],
  warnings: 'Warnings',
  comments: 'Comments',
  kept: (sentence: string) => `${sentence} It is kept in the description.`,
  /** Why a value cannot be in its field. */
  losses: {
    not_a_date: (value: string) => `“${value}” is not a date.`,
    not_a_duration: (value: string) => `“${value}” is not a duration such as 1h 30m.`,
    not_a_completion: (value: string) => `“${value}” is neither yes, no nor a date.`,
    not_a_priority: (value: string) => `“${value}” is not a priority.`,
    not_in_file: (value: string) => `“${value}” is not in the file.`,
    beyond_columns: (value: string) => `“${value}” is beyond the last column.`,
    too_long: (value: string, max: number) =>
      `“${value}” is longer than ${formatNumber(max)} characters.`,
    too_many: (value: string, max: number) =>
      `“${value}” is beyond the first ${formatNumber(max)}.`,
    out_of_range: (value: string) => `${value} is more than a year, or less than nothing.`,
    no_room: (value: string) => `The project has no room for “${value}”.`,
    too_deep: (value: string) => `Under “${value}” there would be too many levels of subtasks.`,
    in_other_project: (value: string) => `“${value}” is in another project.`,
    blocks_too_many: (value: string) => `“${value}” blocks too many tasks, or is deleted.`,
    after_due_date: (value: string) => `${value} is after the due date.`,
  },
  /** What else is imported differently. */
  changes: {
    title_empty: 'It is empty. The first line of the description takes its place, or “Untitled”.',
    title_too_long: 'It is too long. All of it is at the top of the description.',
    description_continued: 'It is too long. The rest is in comments.',
    description_cut: (_: string, max: number) =>
      `Only the first ${formatNumber(max)} characters are imported.`,
    comments_cut: (_: string, max: number) =>
      `Only the first ${plural(max, { one: '# comment is', other: '# comments are' })} imported.`,
    id_taken: (value: string, row: number) => `Row ${row} has “${value}” too.`,
    parent_below: (value: string) => `“${value}” is itself below this task.`,
    parent_empty: (value: string, row: number) => `“${value}” in row ${row} is empty.`,
    parent_too_deep: (value: string, max: number) =>
      `Under “${value}” there would be more than ${max} levels, so it is one level higher.`,
    blocker_waits: (value: string) => `“${value}” is itself waiting for this task.`,
    blocker_empty: (value: string, row: number) => `“${value}” in row ${row} is empty.`,
    project_unavailable:
      'The chosen project is archived or deleted. The tasks are in a new project.',
    sentence: (value: string) => value,
  },
  download: 'Download as CSV',
  start: (n: number) => plural(n, { one: 'Import # task', other: 'Import # tasks' }),
  nothing: 'There is nothing to import: every row is empty.',
  notTakenOver: (list: string) => `Not imported: ${list}.`,
  unusedColumns: (list: string, n: number) => `${n === 1 ? 'the column' : 'the columns'} ${list}`,
  /** What an import leaves out: one of it, and several. */
  omissions: {
    attachments: ['attachment (as a link)', 'attachments (as links)'],
    comments: ['comment (not in the file)', 'comments (not in the file)'],
    covers: ['cover', 'covers'],
    stickers: ['sticker', 'stickers'],
    votes: ['vote', 'votes'],
    reactions: ['reaction', 'reactions'],
    reminders: ['reminder', 'reminders'],
    time_entries: ['time entry', 'time entries'],
    pull_requests: ['pull request', 'pull requests'],
    project_comments: ['project comment', 'project comments'],
    saved_filters: ['saved filter', 'saved filters'],
    power_up_values: ['Power-Up value', 'Power-Up values'],
    views: ['view', 'views'],
    templates: ['template', 'templates'],
    webhooks: ['webhook', 'webhooks'],
    applications: ['application', 'applications'],
    activity: ['activity entry', 'activity entries'],
    deleted_tasks: ['deleted task', 'deleted tasks'],
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
    [
      `${plural(n, { one: '# task', other: '# tasks' })} imported.`,
      bad > 0 && `${plural(bad, { one: '# row', other: '# rows' })} skipped.`,
    ]
      .filter(Boolean)
      .join(' '),
  openProject: (name: string) => `Open ${name}`,
  canceled: (n: number) =>
    `Canceled. ${plural(n, { one: '# task was', other: '# tasks were' })} imported.`,
  undone: 'Import undone. The imported tasks are in the trash.',
  failed: 'The file could not be imported. Check its format and try again.',
  undo: 'Undo import',
})
