import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import {
  assertImport,
  assertTasks,
  type ImportCase,
  importFile,
  refusalOf,
} from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const HEAD =
  'TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT,DEADLINE,DEADLINE_LANG'

interface Line {
  content: string
  type?: string
  [column: string]: string | undefined
}

const COLUMNS = HEAD.toLowerCase().split(',')
const toCsv = (lines: readonly Line[]) =>
  [
    HEAD,
    ...lines.map((line) =>
      COLUMNS.map((column) => {
        const cell = column === 'type' ? (line.type ?? 'task') : (line[column] ?? '')
        return `"${cell.replaceAll('"', '""')}"`
      }).join(','),
    ),
  ].join('\r\n')

const PROJECTS: (ImportCase & { lines: Line[] })[] = [
  {
    name: 'Sections, also without tasks',
    lines: [
      { type: 'meta', content: 'view_style=board' },
      { content: 'Before all sections' },
      { type: 'section', content: 'Waiting' },
      { type: 'section', content: 'Doing' },
      { content: 'In a section', indent: '1' },
      { content: 'Below it', indent: '2' },
      { type: '', content: '' },
    ],
    statuses: ['To do', 'Waiting', 'Doing', 'Done', 'Canceled'],
    tasks: [
      { title: 'Before all sections' },
      { title: 'In a section', status: 'Doing' },
      { title: 'Below it', status: 'Doing', parent: 'In a section' },
    ],
  },
  {
    name: 'Times in the zone of the task',
    lines: [
      { content: 'One', date: '2026-03-31 10:00', timezone: 'Europe/Zurich' },
      { content: 'Two', date: 'Oct 5 2026 9pm', timezone: 'America/New_York' },
      { content: 'Three', date: '2026-03-31' },
    ],
    tasks: [
      { title: 'One', due_date: '2026-03-31', due_at: '2026-03-31T08:00:00.000Z' },
      { title: 'Two', due_at: '2026-10-06T01:00:00.000Z' },
      { title: 'Three', due_date: '2026-03-31', due_at: null },
    ],
  },
  {
    name: 'Deadlines and durations',
    lines: [
      { content: 'Both', date: '2026-03-30', deadline: '2026-04-09', deadline_lang: 'en' },
      { content: 'Only a deadline', deadline: '2026-04-09', duration: 'None' },
      { content: 'Long', duration: '2', duration_unit: 'day' },
      { content: 'Short', duration: '90', duration_unit: 'minute' },
    ],
    tasks: [
      { title: 'Both', due_date: '2026-03-30', custom_fields: { deadline: '2026-04-09' } },
      { title: 'Only a deadline', due_date: '2026-04-09', custom_fields: {}, estimate: null },
      { title: 'Long', estimate: 57_600 },
      { title: 'Short', estimate: 5_400 },
    ],
  },
  {
    name: 'Dates that cannot be read',
    lines: [{ content: 'One', description: 'Text', date: 'whenever I want', deadline: 'soon' }],
    tasks: [
      {
        title: 'One',
        due_date: null,
        description: 'Text\n\nDate: whenever I want\nDeadline: soon',
      },
    ],
  },
  {
    name: 'Labels, people and priorities',
    lines: [
      {
        content: 'Mail a@b.example @home @erste_hilfe',
        priority: '1',
        author: 'Evan (14781400)',
        responsible: 'The member (2)',
      },
      { content: '@only @labels', priority: '4' },
      { content: 'Medium', priority: '3' },
    ],
    tasks: [
      {
        title: 'Mail a@b.example',
        tags: ['erste_hilfe', 'home'],
        priority: 'urgent',
        people: ['member'],
        custom_fields: { created_by: 'Evan' },
      },
      { title: '@only @labels', tags: ['labels', 'only'], priority: null },
      { title: 'Medium', priority: 'medium' },
    ],
  },
  {
    name: 'Comments with files',
    lines: [
      { type: 'note', content: 'About the project' },
      { content: 'One' },
      {
        type: 'note',
        author: 'Evan (1)',
        content:
          'Look [[file {"file_name":"a, b.png","file_url":"https://files.example/a.png","image":"x"}]]',
      },
      { type: 'note', content: '[[file {"file_name":"c.pdf"}]]' },
      { type: 'note', content: 'No [[file here' },
    ],
    left: { attachments: 2, project_comments: 1 },
    tasks: [
      {
        title: 'One',
        comments: [
          '*Evan*\n\nLook\n\nAttachment: [a, b.png](https://files.example/a.png)',
          'Attachment: c.pdf',
          'No [[file here',
        ],
      },
    ],
  },
  {
    name: 'Rules of repetition',
    lines: [
      'every day',
      'every! 3 days',
      'every mon, wed',
      'every other friday at 9am',
      'daily',
      'every weekday',
      'every 15th',
      'every last day',
      'every 2nd tuesday',
      'every 27 jan',
      'every quarter',
      'jeden Montag',
      'alle 2 Wochen',
      'every 3 hours',
      'every morning',
      'jeden Mittag',
      'every thanksgiving',
      'every summer',
      'every midnight',
    ].map((date) => ({ content: date, date })),
    tasks: [
      ['every day', 'FREQ=DAILY'],
      ['every! 3 days', 'FREQ=DAILY;INTERVAL=3', 'completion'],
      ['every mon, wed', 'FREQ=WEEKLY;BYDAY=MO,WE'],
      ['every other friday at 9am', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR'],
      ['daily', 'FREQ=DAILY'],
      ['every weekday', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'],
      ['every 15th', 'FREQ=MONTHLY;BYMONTHDAY=15'],
      ['every last day', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
      ['every 2nd tuesday', 'FREQ=MONTHLY;BYDAY=2TU'],
      ['every 27 jan', 'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=27'],
      ['every quarter', 'FREQ=MONTHLY;INTERVAL=3'],
      ['jeden Montag', 'FREQ=WEEKLY;BYDAY=MO'],
      ['alle 2 Wochen', 'FREQ=WEEKLY;INTERVAL=2'],
      ['every 3 hours', null],
      ['every morning', null],
      ['jeden Mittag', null],
      ['every thanksgiving', null],
      ['every summer', null],
      ['every midnight', null],
    ].map(([title, rrule, basis = 'due_date']) => ({
      title,
      recurrence: rrule === null ? null : { rrule, basis },
      description: rrule === null ? `Date: ${title}` : null,
    })),
  },
  {
    name: 'Indentation with jumps',
    lines: [
      { content: 'Too deep at once', indent: '3' },
      { content: 'Top', indent: '1' },
      { content: 'Skips a level', indent: '3' },
      { content: 'Odd', indent: 'x' },
    ],
    tasks: [
      { title: 'Too deep at once', parent: null },
      { title: 'Top', parent: null },
      { title: 'Skips a level', parent: 'Top' },
      { title: 'Odd', parent: null },
    ],
  },
]

test('imports what projects of Todoist hold', async () => {
  const docket = await fresh('sqlite')
  for (const { lines, tasks, ...expected } of PROJECTS) {
    const filename = `${expected.name} [2203].csv`
    const projects = { [expected.name]: tasks }
    await assertImport(docket, filename, toCsv(lines), { ...expected, kind: 'todoist', projects })
  }
})

test('gives each project of a Todoist backup its own sections as statuses', async () => {
  const docket = await fresh('sqlite')
  const backup = await createZip({
    'Home [1].csv': Buffer.from(
      toCsv([{ type: 'section', content: 'Garden' }, { content: 'Plant' }]),
    ),
    'Inbox [abcXYZ].csv': Buffer.from(toCsv([{ content: 'tomorrow', date: 'tomorrow' }])),
  })
  const { projects } = await importFile(docket, 'Todoist-backup.zip', backup)
  const names = (project: string) =>
    projects.get(project)?.project.statuses.map((one) => one.name) ?? assert.fail(project)
  assert.deepEqual(names('Home'), ['To do', 'Garden', 'Done', 'Canceled'])
  assert.ok(!names('Inbox').includes('Garden'))
  const [due] = projects.get('Inbox')?.tasks ?? []
  assert.match(String(due?.due_date), /^\d{4}-\d\d-\d\d$/)
  assert.match(await refusalOf(docket, 'Empty.csv', toCsv([])), /no_tasks/)
})

test('takes a table for a project of Todoist only by its indents, and never against a choice', async () => {
  const docket = await fresh('sqlite')
  const plan = 'Title,Type,Content,Priority\nSpring mailing,Blog,About spring,High\n'
  const zip = (text: string) => createZip({ 'Plan.csv': Buffer.from(text) })
  const { ready } = await importFile(docket, 'Plan.zip', await zip(plan))
  assert.deepEqual([ready.kind, ready.row_count], ['csv', 1])
  const table = await zip(toCsv([{ content: 'One' }]))
  const chosen = await importFile(docket, 'Plan.zip', table, 'csv')
  assert.equal(chosen.ready.kind, 'csv')
  const lower = 'type,content,indent\ntask,One,1\ntask,Two,2\n'
  const { projects } = await importFile(docket, 'Lower.csv', lower)
  assertTasks(projects.get('Lower')?.tasks ?? [], [
    { title: 'One', parent: null },
    { title: 'Two', parent: 'One' },
  ])
})
