import { defineRareMessages } from '../define-rare-messages.ts'
import { formatNumber, plural } from '../plural.ts'

const EXPORT_AS_CSV = 'Export your tasks as CSV, and upload that.'
const SAVE_AS_CSV = 'Save the table as CSV (UTF-8), and upload that.'
const UNPACK = 'Unpack it, and upload the file with your tasks.'
const RESTORE =
  'Restore a backup with docket restore. To move one workspace, create an archive under Settings, Import and export, and upload that.'
const withMore = (names: string, more: number) =>
  more > 0 ? `${names} and ${formatNumber(more)} more` : names

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
    'Exports of Trello, Linear, Jira, Todoist, TickTick, GitHub, Vikunja and Docket, or any table. You see a preview before anything is created.',
  steps: {
    file: 'File',
    format: 'Format',
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
    comments: 'Comments',
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
  newProjectName: 'Project name',
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
    ticktick: 'TickTick (CSV)',
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
    no_task: (value: string) => `No task has been made of “${value}” before this one.`,
    beyond_columns: (value: string) => `“${value}” is beyond the last column.`,
    too_long: (value: string, max: number) =>
      `“${value}” is longer than ${formatNumber(max)} characters.`,
    too_many: (value: string, max: number) =>
      `“${value}” is beyond the first ${formatNumber(max)}.`,
    out_of_range: (value: string) => `${value} is negative, or longer than a year.`,
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
    project_unavailable:
      'The chosen project is archived or deleted. The tasks are in a new project.',
  },
  /** Why a file cannot be imported, or what has ended an import. */
  errors: {
    is_pdf: `This is a PDF. ${EXPORT_AS_CSV}`,
    is_image: `This is an image. ${EXPORT_AS_CSV}`,
    is_web_page: `This is a web page. ${EXPORT_AS_CSV}`,
    is_xml: `This is XML. ${EXPORT_AS_CSV}`,
    is_calendar: `This is a calendar (iCalendar). ${EXPORT_AS_CSV}`,
    is_email: `This is an email. ${EXPORT_AS_CSV}`,
    is_property_list: `This is a property list of Apple. ${EXPORT_AS_CSV}`,
    is_binary: `Docket cannot read this file. ${EXPORT_AS_CSV}`,
    is_old_office: `This is a document of an older Excel, Word or Project. ${SAVE_AS_CSV}`,
    is_rtf: `This is a document with formatting (RTF). ${SAVE_AS_CSV}`,
    is_excel: `This is an Excel workbook. ${SAVE_AS_CSV}`,
    is_word: `This is a Word document. ${SAVE_AS_CSV}`,
    is_presentation: `This is a presentation. ${SAVE_AS_CSV}`,
    is_iwork: `This is a document of Numbers, Pages or Keynote. ${SAVE_AS_CSV}`,
    is_opendocument: `This is an OpenDocument file. ${SAVE_AS_CSV}`,
    is_compressed: (format: string) =>
      `This file is compressed with ${format}. Unpack it, and upload the file in it.`,
    is_tar: `This is a tar archive, but none that Docket has made. ${UNPACK}`,
    is_database: `This is a SQLite database. ${RESTORE}`,
    is_backup: `This is a backup of a whole Docket installation. ${RESTORE}`,
    is_contacts: 'These are contacts (vCard), not tasks.',
    is_key: 'This is a key or a certificate. It has no tasks.',
    is_utf16: `The file is in UTF-16 without a byte order mark. ${SAVE_AS_CSV}`,
    is_not_utf8:
      'The file is not in UTF-8. Save it as UTF-8, or choose Windows-1252 (Latin-1) as its encoding.',
    is_plain_text:
      'This is plain text, not a table. To make a task of each line, write Title as the first line, and upload the file again.',
    lines_above_table:
      'There are other lines above the table. Delete all lines above the one that names the columns, and upload the file again.',
    zip_damaged: 'The file is not a ZIP archive, or it is damaged.',
    zip_too_many_files: (_: string, max: number) =>
      `The ZIP archive contains more than ${formatNumber(max)} files.`,
    zip_file_too_large: (name: string) => `“${name}” in the ZIP archive is too large.`,
    zip_empty: 'The ZIP archive is empty.',
    zip_no_table: (names: string, more: number) =>
      `The ZIP archive has no table and no export that Docket knows, but ${withMore(names, more)}. ${EXPORT_AS_CSV}`,
    zip_several_tables: (names: string, more: number) =>
      `The ZIP archive has several tables: ${withMore(names, more)}. ${UNPACK}`,
    zip_packed: (names: string, more: number) =>
      `The ZIP archive has another archive or document in it: ${withMore(names, more)}. ${UNPACK}`,
    zip_misses: (name: string) => `The ZIP archive has no ${name} file.`,
    json_malformed: 'The file is not well-formed JSON.',
    json_too_deep: 'The file is nested too deeply.',
    json_unknown: `Docket does not know this JSON. It reads boards of Trello and issues of GitHub. ${EXPORT_AS_CSV}`,
    json_vikunja_part: 'This is a part of an export of Vikunja. Upload the whole ZIP file.',
    json_trello_cards:
      'This is a list of cards of Trello. Export the board: Menu, Print, export, and share, Export as JSON.',
    json_asana: `This is an export of Asana as JSON. ${EXPORT_AS_CSV}`,
    json_jira: `These are issues of Jira as JSON. ${EXPORT_AS_CSV}`,
    json_google_tasks:
      'This is an export of Google Tasks. Save the tasks as CSV with a column Title, and upload that.',
    entry_too_long: (_: string, number: number) =>
      `Entry ${formatNumber(number)} of the file is longer than a million characters.`,
    no_table: 'The file contains no table. Its first line must name the columns.',
    too_many_columns: (_: string, max: number) =>
      `The table has more than ${formatNumber(max)} columns.`,
    too_many_cells: (_: string, max: number) =>
      `A line of the table has more than ${formatNumber(max)} cells.`,
    line_too_long: 'A line of the table is longer than a million characters.',
    quote_open: 'The table contains a quotation mark that is never closed.',
    file_empty: 'The file is empty.',
    no_tasks: 'The file has no tasks.',
    no_rows: 'The table has no rows below the line that names its columns.',
    no_cards: 'The file has no cards of a Trello board.',
    no_issues: 'The file has no issues below the line that names its columns.',
    no_github_issues: 'The file has no issues. Pull requests are not imported.',
    too_many_tasks: (_: string, max: number) =>
      `The file has more than ${formatNumber(max)} tasks. Split it into several files.`,
    too_many_entries: 'The file has too many comments, checklists or projects.',
    archive_too_large: (part: string) =>
      `The archive is too large to be imported here: ${part}. Use docket import.`,
    archive_damaged: (part: string, line: number) =>
      `The archive is damaged, or Docket has not made it${part && `: ${part}`}${line ? `, line ${formatNumber(line)}` : ''}.`,
    file_deleted: 'The file has been deleted. Upload it again.',
    not_permitted:
      'The person who started the import is no longer an owner or admin. Undo what was imported, and upload the file again.',
    storage_full:
      'The workspace has no storage left. Delete attachments, tasks and comments, and wait until the trash is emptied.',
    server_stopped:
      'The import failed, because the server stopped twice while it worked on it. Try a smaller file, or contact your operator.',
    failed: 'The import failed. Try again, or contact your operator.',
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
    lines_above: ['line above the table', 'lines above the table'],
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
  undoneBut: (left: number) =>
    `Import undone. ${plural(left, { one: '# task was left, because someone has worked on it since or its project is archived', other: '# tasks were left, because someone has worked on them since or their project is archived' })}.`,
  undo: 'Undo import',
})
