import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { assertImport, assertTasks, type ImportCase, importFile } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const HEADERS = [
  'ID',
  'Team',
  'Title',
  'Description',
  'Status',
  'Estimate',
  'Priority',
  'Project ID',
  'Project',
  'Creator',
  'Assignee',
  'Labels',
  'Cycle Number',
  'Cycle Name',
  'Cycle Start',
  'Cycle End',
  'Created',
  'Updated',
  'Started',
  'Triaged',
  'Completed',
  'Canceled',
  'Archived',
  'Due Date',
  'Parent issue',
  'Initiatives',
  'Project Milestone ID',
  'Project Milestone',
  'SLA Status',
  'UUID',
  'Time in status (minutes)',
  'Related to',
  'Blocked by',
  'Duplicate of',
]

type Issue = Record<string, string>
const AT = '2026-01-02T10:00:00.000Z'

const CASES: (ImportCase & { issues: Issue[] })[] = [
  {
    name: 'points, cycles and milestones',
    issues: [
      {
        Title: 'One',
        Estimate: '3',
        'Cycle Number': '4',
        'Cycle Name': 'Spring',
        'Project Milestone': 'Beta',
        Initiatives: 'Growth',
        'SLA Status': 'Breached',
        Creator: 'ada@example.com',
        UUID: 'x',
        'Project ID': 'p',
      },
      { Title: 'Two', 'Cycle Number': '5' },
    ],
    tasks: [
      {
        title: 'One',
        custom_fields: {
          points: 3,
          cycle: 'Spring',
          project_milestone: 'Beta',
          initiatives: 'Growth',
          sla_status: 'Breached',
          created_by: 'ada@example.com',
        },
      },
      { title: 'Two', custom_fields: { cycle: '5' } },
    ],
  },
  {
    name: 'days as browsers write them',
    issues: [
      { Title: 'One', Status: 'Accepted', Completed: 'Tue Mar 03 2026 10:00:00 GMT+0000 (GMT)' },
      { Title: 'Two', Status: 'Parked', Canceled: 'Tue Mar 03 2026 10:00:00 GMT+0000 (GMT)' },
      { Title: 'Three', Status: 'Verifying', Started: AT },
    ],
    tasks: [
      { title: 'One', category: 'completed' },
      { title: 'Two', category: 'canceled' },
      { title: 'Three', category: 'started' },
    ],
  },
  {
    name: 'names with commas',
    issues: [
      { Title: 'One', Assignee: 'Keller, Jonas', Project: 'Launch, phase 1', Labels: 'Bug, UI' },
    ],
    tasks: [
      {
        title: 'One',
        tags: ['Bug', 'Launch, phase 1', 'UI'],
        description: 'Assigned to: Keller, Jonas',
      },
    ],
  },
  {
    name: 'related and duplicate issues',
    issues: [
      { ID: 'T-1', Title: 'One', 'Related to': 'T-2, T-9', 'Duplicate of': 'T-2' },
      { ID: 'T-2', Title: 'Two', 'Blocked by': 'T-1' },
    ],
    tasks: [
      { title: 'One', custom_fields: { related_to: ['T-2', 'T-9'], duplicate_of: ['T-2'] } },
      { title: 'Two', after: ['One'] },
    ],
  },
  {
    name: 'statuses by their dates',
    issues: [
      { Title: 'One', Status: 'Livré', Started: AT, Completed: AT },
      { Title: 'Two', Status: 'Poubelle', Canceled: AT },
      { Title: 'Three', Status: 'Chantier', Started: AT },
      { Title: 'Four', Status: 'Backlog' },
    ],
    categories: {
      Livré: 'completed',
      Poubelle: 'canceled',
      Chantier: 'started',
      Backlog: 'backlog',
    },
    tasks: [
      { title: 'One', category: 'completed' },
      { title: 'Two', category: 'canceled' },
      { title: 'Three', category: 'started' },
      { title: 'Four', category: 'backlog' },
    ],
  },
  {
    name: 'subissues of other teams',
    issues: [
      { ID: 'T-2', Title: 'Child', 'Parent issue': 'T-1' },
      { ID: 'T-1', Title: 'Parent' },
      { ID: 'T-3', Title: 'Orphan', 'Parent issue': 'X-9' },
    ],
    tasks: [
      { title: 'Parent' },
      { title: 'Child', parent: 'Parent' },
      { title: 'Orphan', description: 'Part of: X-9' },
    ],
  },
  {
    name: 'priorities and dates',
    issues: [
      { Title: 'One', Priority: 'Urgent', 'Due Date': '2026-03-31' },
      { Title: 'Two', Priority: 'No priority', 'Due Date': '2026-03-31T00:00:00.000Z' },
    ],
    tasks: [
      { title: 'One', priority: 'urgent', due_date: '2026-03-31' },
      { title: 'Two', priority: null, due_date: '2026-03-31', custom_fields: {} },
    ],
  },
]

const toCsv = (issues: readonly Issue[]) =>
  [HEADERS, ...issues.map((issue) => HEADERS.map((name) => issue[name] ?? ''))]
    .map((line) => line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
    .join('\n')

test('imports what tables of Linear hold', async () => {
  const docket = await fresh('sqlite')
  for (const { issues, tasks, ...expected } of CASES) {
    const rows = issues.map((issue, at) => ({ ID: `T-${at + 1}`, Team: 'Team', ...issue }))
    const projects = { Team: tasks }
    await assertImport(docket, 'Linear.csv', toCsv(rows), { ...expected, kind: 'linear', projects })
  }
  // A text beyond the last column is of no field.
  const longer = `${toCsv([{ ID: 'T-1', Team: 'Team', Title: 'One' }])},more`
  const { projects, ready } = await importFile(docket, 'Linear.csv', longer)
  assert.deepEqual([ready.kind, ready.warned_count], ['linear', 1])
  assertTasks(projects.get('Team')?.tasks ?? assert.fail(), [
    { title: 'One', description: 'More cells: more' },
  ])
})
