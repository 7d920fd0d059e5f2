import { test } from 'node:test'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { assertImport, type ImportCase } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

/** Lines of cells, the header first; a cell that holds a comma or quote is quoted. */
type TableCase = ImportCase & { table: string[][] }

const HEAD = ['Summary', 'Issue key', 'Issue id', 'Status', 'Project name']
const issue = (title: string, id: number, ...more: string[]) => [
  title,
  `PRJ-${id}`,
  String(10_000 + id),
  'To Do',
  'P',
  ...more,
]

const TABLES: TableCase[] = [
  {
    name: 'names with commas',
    table: [
      [...HEAD, 'Assignee', 'Component/s', 'Comment'],
      issue('One', 1, 'Keller, Jonas', 'Billing, Tax', '21/Nov/26 9:30 AM;Keller, Jonas;Hello'),
      issue('Two', 2, 'Meier, Jonas', '', ''),
      issue('Three', 3, 'Member, the', '', ''),
    ],
    tasks: [
      {
        title: 'One',
        tags: ['Billing, Tax'],
        description: 'Assigned to: Keller, Jonas',
        comments: ['*Keller, Jonas, 2026-11-21*\n\nHello'],
      },
      { title: 'Two', tags: [], description: 'Assigned to: Meier, Jonas' },
      { title: 'Three', tags: [], description: null, people: ['member'] },
    ],
  },
  {
    name: 'links that only the blocking issue has',
    table: [
      [...HEAD, 'Outward issue link (Blocks)', 'Outward issue link (Blocks)'],
      issue('One', 1, 'PRJ-2', 'OLD-9'),
      issue('Two', 2, '', ''),
    ],
    tasks: [
      { title: 'One', after: [], custom_fields: { blocks: ['OLD-9'] } },
      { title: 'Two', after: ['One'], custom_fields: {} },
    ],
  },
  {
    name: 'times that cannot be read',
    table: [[...HEAD, 'Original estimate', 'Time Spent'], issue('One', 1, 'about 3 days', 'long')],
    tasks: [
      { title: 'One', estimate: null, description: 'Estimate: about 3 days\nTime spent: long' },
    ],
  },
  {
    name: 'fields of software projects',
    table: [
      [
        ...HEAD,
        'Issue Type',
        'Sprint',
        'Sprint',
        'Fix versions',
        'Fix versions',
        'Custom field (Story Points)',
        'Custom field (Team)',
        'Environment',
        'Security Level',
        'Custom field (Rank)',
        'Created',
        'Work Ratio',
        'Σ Original Estimate',
      ],
      issue(
        'One',
        1,
        'Story',
        'Sprint 3',
        'Sprint 4',
        '1.10',
        '2.0',
        '3.0',
        'Blue',
        'Firefox 140',
        'Internal',
        '0|i0000f:',
        '02/Jan/26',
        '-1',
        '7200',
      ),
    ],
    tasks: [
      {
        title: 'One',
        custom_fields: {
          issue_type: 'Story',
          sprint: ['Sprint 3', 'Sprint 4'],
          story_points: 3,
          fix_versions: ['1.10', '2.0'],
          team: 'Blue',
          environment: 'Firefox 140',
          security_level: 'Internal',
        },
      },
    ],
  },
  {
    name: 'accounts of Jira Cloud as the authors of comments',
    table: [
      [...HEAD, 'Assignee', 'Assignee Id', 'Reporter', 'Reporter Id', 'Comment'],
      issue(
        'One',
        1,
        'The member',
        '5b10:ac',
        'Ada',
        '5c20:bd',
        '21/Nov/26 9:30 AM;5b10:ac;Seen; and liked',
      ),
    ],
    tasks: [
      {
        title: 'One',
        people: ['member'],
        custom_fields: { reporter: 'Ada' },
        comments: ['*2026-11-21*\n\nSeen; and liked'],
      },
    ],
  },
  {
    name: 'parents by number, by key and by epic',
    table: [
      [...HEAD, 'Parent', 'Parent key', 'Parent id', 'Custom field (Epic Link)'],
      issue('By number', 2, '10001', '', '', ''),
      issue('Epic', 1, '', '', '', ''),
      issue('By key', 3, '', 'PRJ-1', '', ''),
      issue('By its id', 4, '', '', '10003', ''),
      issue('By epic', 5, '', '', '', 'PRJ-1'),
      issue('Elsewhere', 6, '', 'OTH-9', '', ''),
    ],
    tasks: [
      { title: 'Epic', parent: null },
      { title: 'By number', parent: 'Epic' },
      { title: 'By key', parent: 'Epic' },
      { title: 'By its id', parent: 'By key' },
      { title: 'By epic', parent: 'Epic' },
      { title: 'Elsewhere', parent: null, description: 'Part of: OTH-9' },
    ],
  },
  {
    name: 'links between issues',
    table: [
      [
        ...HEAD,
        'Inward issue link (Blocks)',
        'Outward issue link (Blocks)',
        'Outward issue link (Blocks)',
        'Inward issue link (Relates)',
        'Outward issue link (Cloners)',
      ],
      issue('One', 1, '', 'PRJ-2', 'OTH-1', 'PRJ-2', ''),
      issue('Two', 2, 'PRJ-1', '', '', '', 'PRJ-1'),
    ],
    tasks: [
      { title: 'One', custom_fields: { blocks: ['OTH-1'], relates: ['PRJ-2'] } },
      { title: 'Two', after: ['One'], custom_fields: { cloners: ['PRJ-1'] } },
    ],
  },
  {
    name: 'attachments, work and votes',
    table: [
      [
        ...HEAD,
        'Attachment',
        'Attachment',
        'Log Work',
        'Time Spent',
        'Original estimate',
        'Votes',
        'Watchers',
        'Watchers',
      ],
      issue(
        'One',
        1,
        '02/Jan/26 9:30 AM;ada;plan; v2.pdf;https://jira.example/plan.pdf',
        '',
        'Did it;02/Jan/26 9:30 AM;ada;5400',
        '5400',
        '1h 30m',
        '3',
        'Ada',
        'Bob',
      ),
    ],
    left: { attachments: 1, time_entries: 1, votes: 3 },
    tasks: [
      {
        title: 'One',
        estimate: 5_400,
        description: 'Attachment: [plan; v2.pdf](https://jira.example/plan.pdf)',
        custom_fields: { time_spent: '1h 30m', watchers: ['Ada', 'Bob'] },
      },
    ],
  },
  {
    name: 'statuses in any language, by their category',
    table: [
      [...HEAD, 'Status Category', 'Resolution'],
      ...[
        ['Terminé', 'Done', 'Fixed'],
        ['検証中', 'In Progress', ''],
        ['Backlog', 'To Do', ''],
        ['Rejected', 'Done', "Won't Do"],
      ].map(([status = '', category = '', resolution = ''], at) => [
        'Issue',
        `PRJ-${at}`,
        String(at),
        status,
        'P',
        category,
        resolution,
      ]),
    ],
    categories: {
      Terminé: 'completed',
      検証中: 'started',
      Backlog: 'backlog',
      Rejected: 'canceled',
    },
    tasks: [
      { title: 'Issue', status: 'Terminé', custom_fields: { resolution: 'Fixed' } },
      { title: 'Issue', status: '検証中', custom_fields: {} },
      { title: 'Issue', status: 'Backlog' },
      { title: 'Issue', status: 'Rejected', custom_fields: { resolution: "Won't Do" } },
    ],
  },
  {
    name: 'columns in German',
    table: [
      [
        'Zusammenfassung',
        'Vorgangsschlüssel',
        'Vorgangs-ID',
        'Status',
        'Projektname',
        'Zugewiesene Person',
        'Stichwörter',
        'Fälligkeitsdatum',
        'Beschreibung',
        'Kommentar',
      ],
      [
        'Eins',
        'PRJ-1',
        '1',
        'Erledigt',
        'P',
        'The member',
        'a',
        '2026-03-31',
        'Text',
        '31.03.2026 10:00;ada;Gut',
      ],
    ],
    tasks: [
      {
        title: 'Eins',
        category: 'completed',
        people: ['member'],
        tags: ['a'],
        due_date: '2026-03-31',
        description: 'Text',
        comments: ['*ada, 2026-03-31*\n\nGut'],
      },
    ],
  },
  {
    name: 'the names of columns of newer Jira',
    table: [
      ['Work type', 'Work item key', 'Work item id', 'Summary', 'Status', 'Project key'],
      ['Bug', 'PRJ-1', '1', 'One', 'To Do', 'P'],
    ],
    tasks: [{ title: 'One', custom_fields: { work_type: 'Bug' } }],
  },
  {
    name: 'start dates and labels in one cell',
    table: [
      [...HEAD, 'Custom field (Start date)', 'Due date', 'Labels', 'Assignee'],
      issue('One', 1, '02/Jan/26', '31/Mar/26 12:00 AM', 'backend, parser', 'Unassigned'),
    ],
    tasks: [
      {
        title: 'One',
        start_date: '2026-01-02',
        due_date: '2026-03-31',
        people: [],
        tags: ['backend', 'parser'],
        description: null,
      },
    ],
  },
]

const toCsv = (table: string[][]) =>
  table.map((line) => line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\r\n')

test('imports what tables of Jira hold', async () => {
  const docket = await fresh('sqlite')
  for (const { table, tasks, ...expected } of TABLES) {
    const projects = { P: tasks }
    await assertImport(docket, 'Jira.csv', toCsv(table), { ...expected, kind: 'jira', projects })
  }
})
