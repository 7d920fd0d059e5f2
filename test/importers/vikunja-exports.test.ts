import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { assertImport, type ImportCase, type NamedTask, refusalOf } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const NEVER = '0001-01-01T00:00:00Z'
const task = (id: number, title: string, more: object = {}) => ({
  id,
  title,
  description: '',
  done: false,
  due_date: NEVER,
  start_date: NEVER,
  end_date: NEVER,
  priority: 0,
  labels: null,
  assignees: null,
  related_tasks: {},
  ...more,
})

type ExportCase = Omit<ImportCase, 'tasks'> & {
  projects: object[]
  tasks: Record<string, NamedTask[]>
  filters?: object[]
}

const EXPORTS: ExportCase[] = [
  {
    name: 'boards and lists of views',
    projects: [
      {
        title: 'P',
        tasks: [task(1, 'Last'), task(2, 'First'), task(3, 'Loose')],
        views: [
          { id: 10, view_kind: 'list' },
          { id: 11, view_kind: 'kanban', done_bucket_id: 22 },
        ],
        buckets: [
          { id: 22, title: 'Livré', project_view_id: 11, position: 3 },
          { id: 21, title: 'Waiting', project_view_id: 11, position: 1 },
          { id: 23, title: 'Empty', project_view_id: 11, position: 2 },
          { id: 24, title: 'Of another view', project_view_id: 12, position: 1 },
        ],
        task_buckets: [
          { task_id: 1, bucket_id: 22, project_view_id: 11 },
          { task_id: 2, bucket_id: 21, project_view_id: 11 },
        ],
        positions: [
          { task_id: 1, position: 200, project_view_id: 10 },
          { task_id: 2, position: 100, project_view_id: 10 },
          { task_id: 2, position: 900, project_view_id: 11 },
        ],
      },
    ],
    statuses: ['To do', 'Waiting', 'Empty', 'Livré', 'Canceled'],
    tasks: {
      P: [
        { title: 'First', status: 'Waiting' },
        { title: 'Last', status: 'Livré', category: 'completed' },
        { title: 'Loose', status: 'To do' },
      ],
    },
  },
  {
    name: 'projects of the same name',
    projects: [
      { title: 'Tasks', description: '<p>About <em>home</em></p>', tasks: [task(1, 'One')] },
      { title: 'Tasks', hex_color: 'e8445a', tasks: [task(2, 'Two')] },
    ],
    tasks: { Tasks: [{ title: 'One' }], 'Tasks (2)': [{ title: 'Two' }] },
  },
  {
    name: 'repetition',
    projects: [
      {
        title: 'P',
        tasks: [
          task(1, 'Weekly', { repeat_after: 604_800, due_date: '2026-03-31T10:00:00Z' }),
          task(2, 'Daily without a date', { repeat_after: 172_800 }),
          task(3, 'Monthly', { repeat_mode: 1, due_date: '2026-03-31T10:00:00Z' }),
          task(4, 'After completion', { repeat_after: 86_400, repeat_mode: 2 }),
          task(5, 'Hourly', { repeat_after: 21_600 }),
        ],
      },
    ],
    tasks: {
      P: [
        { title: 'Weekly', recurrence: { rrule: 'FREQ=WEEKLY;INTERVAL=1', basis: 'due_date' } },
        {
          title: 'Daily without a date',
          recurrence: { rrule: 'FREQ=DAILY;INTERVAL=2', basis: 'completion' },
        },
        { title: 'Monthly', recurrence: { rrule: 'FREQ=MONTHLY', basis: 'due_date' } },
        {
          title: 'After completion',
          recurrence: { rrule: 'FREQ=DAILY;INTERVAL=1', basis: 'completion' },
        },
        { title: 'Hourly', recurrence: null, description: 'Repeats every 6 hours' },
      ],
    },
  },
  {
    name: 'attachments, reminders, reactions and filters',
    projects: [
      {
        title: 'P',
        tasks: [
          task(1, 'One', {
            attachments: [{ file: { name: 'plan.pdf' } }, { file: { name: 'b.png' } }],
            reminders: [{ reminder: '2026-03-31T10:00:00Z' }],
            reactions: { '👍': [{ username: 'ada' }, { username: 'bob' }] },
          }),
        ],
      },
    ],
    filters: [{ title: 'Mine' }, { title: 'Late' }],
    left: { attachments: 2, reminders: 1, reactions: 2, saved_filters: 2 },
    tasks: { P: [{ title: 'One', description: 'Attachment: plan.pdf\nAttachment: b.png' }] },
  },
  {
    name: 'end dates, progress, favorites and relations',
    projects: [
      {
        title: 'P',
        tasks: [
          task(1, 'Ends', { end_date: '2026-04-02T12:00:00Z', start_date: '2026-04-01T12:00:00Z' }),
          task(2, 'Both', {
            due_date: '2026-04-01T12:00:00Z',
            end_date: '2026-04-02T12:00:00Z',
            percent_done: 0.35,
            is_favorite: true,
            created_by: { username: 'ada', name: '' },
            related_tasks: { related: [{ id: 1, title: 'Ends' }], blocked: [{ id: 1 }] },
          }),
        ],
      },
    ],
    tasks: {
      P: [
        { title: 'Ends', start_date: '2026-04-01', due_date: '2026-04-02', custom_fields: {} },
        {
          title: 'Both',
          due_date: '2026-04-01',
          after: ['Ends'],
          custom_fields: {
            end_date: '2026-04-02',
            percent_done: 35,
            favorite: true,
            created_by: 'ada',
            related_to: ['Ends'],
          },
        },
      ],
    },
  },
  {
    name: 'texts of the editor',
    projects: [
      {
        title: 'P',
        tasks: [
          task(1, 'One', {
            description:
              '<h2>Plan</h2><p>See <a href="https://a.example/?a=1&amp;b=2">this</a> &lt;now&gt;</p><ul data-type="taskList"><li data-checked="true"><p>done</p></li><li data-checked="false"><p>open</p></li></ul><pre><code>if (a  &lt; b)</code></pre><blockquote><p>said</p></blockquote>',
          }),
          task(2, 'Markdown of old versions', { description: 'a **b** < c' }),
        ],
      },
    ],
    tasks: {
      P: [
        {
          title: 'One',
          description:
            '## Plan\n\nSee [this](https://a.example/?a=1&b=2) \\<now>\n\n- [x] done\n- [ ] open\n\n```\nif (a  < b)\n```\n\n> said',
        },
        { title: 'Markdown of old versions', description: 'a **b** < c' },
      ],
    },
  },
  {
    name: 'labels with colors',
    projects: [
      { title: 'P', tasks: [task(1, 'One', { labels: [{ title: 'bug', hex_color: 'E8445A' }] })] },
    ],
    tasks: { P: [{ title: 'One', tags: ['bug'] }] },
  },
]

const toZip = (projects: object[], filters: object[] = []) =>
  createZip({
    VERSION: Buffer.from('1.0.0'),
    'data.json': Buffer.from(JSON.stringify(projects)),
    'filters.json': Buffer.from(JSON.stringify(filters)),
  })

test('imports what exports of Vikunja hold', async () => {
  const docket = await fresh('sqlite')
  for (const { projects, filters, tasks, ...expected } of EXPORTS) {
    const imported = await assertImport(docket, 'export.zip', await toZip(projects, filters), {
      ...expected,
      kind: 'vikunja',
      projects: tasks,
    })
    const described = imported.projects.get('Tasks')?.project
    if (described) assert.equal(described.description, 'About *home*')
    const colored = imported.projects.get('Tasks (2)')?.project
    if (colored) assert.equal(colored.color, '#e8445a')
    for (const tag of imported.projects.get('P')?.tags ?? []) assert.equal(tag.color, '#e8445a')
  }
  const empty = await toZip([{ title: 'P', tasks: null }])
  assert.match(await refusalOf(docket, 'empty.zip', empty), /no_tasks/)
})
