import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PastedTask, parsePastedTasks } from './pasted-tasks.ts'

const vocabulary = {
  tags: [{ id: 'tag_1', name: 'content' }],
  members: [
    { id: 'usr_1', name: 'Ines Okafor', email: 'ines@acme.example' },
    { id: 'usr_2', name: 'Robin Keller', email: null },
  ],
  me: 'usr_1',
  today: '2026-11-20',
  canCreateTags: true,
  clock: () => '10:30',
  language: { words: {}, isMonthFirst: false },
  statuses: [
    { key: 'todo', name: 'To do' },
    { key: 'in_progress', name: 'In progress' },
  ],
}
const format = ({ text, chips, description }: PastedTask) => [
  text,
  ...chips.map((chip) => {
    if ('date' in chip) return chip.date
    if (chip.kind === 'priority') return chip.priority
    if (chip.kind === 'estimate') return chip.seconds
    return chip.kind === 'status' ? chip.key : `${chip.kind} ${chip.name}`
  }),
  ...(description ? [description] : []),
]
const read = (pasted: string) => parsePastedTasks(pasted, vocabulary).map(format)

test('reads the columns of a spreadsheet by their headings', () => {
  const rows = [
    'Task\tOwner\tDue date\tPriority\tStatus\tTags\tCost',
    'Write the text\tRobin Keller\t2026-12-10\tHigh\tIn progress\tcontent, big idea\t300',
    'Print it\tNobody\tsome day\t\tTo do\t\t',
  ]
  assert.deepEqual(read(rows.join('\r\n')), [
    [
      'Write the text',
      'who Robin Keller',
      '2026-12-10',
      'high',
      'in_progress',
      'tag content',
      'new tag big idea',
      'Cost: 300',
    ],
    ['Print it', 'todo', 'Owner: Nobody\n\nDue date: some day'],
  ])
  assert.deepEqual(read('Fällig am\tAufgabe\n15.12.\tBericht senden'), [
    ['Bericht senden', '2026-12-15'],
  ])
})

test('reads values of known columns as an import does, and says what it cannot read', () => {
  const rows = [
    'Title\tAssignee\tPriority\tEstimate\tCost centre',
    'One\tInes@acme.example, Robin Keller\tNormal\t90m\t300',
    'Two\tlena@acme.example\tP1\t1d\t',
    'Three\tInes <ines@acme.example>; Robin Keller\tso-so\t1:30\t400',
  ].join('\n')
  assert.deepEqual(read(rows), [
    ['One', 'who Ines Okafor', 'who Robin Keller', 'medium', 5400, 'Cost centre: 300'],
    ['Two', 'urgent', 28_800, 'Assignee: lena@acme.example'],
    ['Three', 'who Ines Okafor', 'who Robin Keller', 5400, 'Priority: so-so\n\nCost centre: 400'],
  ])
  const unreadCells = parsePastedTasks(rows, vocabulary).flatMap((task) => task.unreadCells)
  assert.deepEqual(unreadCells, [
    'Cost centre',
    'Assignee: lena@acme.example',
    'Priority: so-so',
    'Cost centre',
  ])
})

test('takes what is certain from rows without headings', () => {
  assert.deepEqual(read('Write it\thigh\t15.12.2026\t3h\nPrint it\tRobin Keller\t12'), [
    ['Write it', 'high', '2026-12-15', 10_800],
    ['Print it', 'who Robin Keller', '12'],
  ])
})

test('names a task by its first cell if all of its cells are values', () => {
  assert.deepEqual(read('Task\tOwner\tPriority\nOne\t\t\n\tRobin Keller\tHigh'), [
    ['One'],
    ['Robin Keller', 'who Robin Keller', 'high'],
  ])
  assert.deepEqual(read('Write it\thigh\n3h\thigh'), [
    ['Write it', 'high'],
    ['3h', 10_800, 'high'],
  ])
})

test('keeps cells of several lines together', () => {
  assert.deepEqual(read('Title\tNotes\nOne\t"first ""line""\nsecond"\nTwo\t'), [
    ['One', 'first "line"\nsecond'],
    ['Two'],
  ])
})

test('reads a line without columns as if it were typed', () => {
  assert.deepEqual(read('one tomorrow\n- two\tthree\nDraw it 4h !high @robin #content\n#content'), [
    ['one', '2026-11-21'],
    ['two three'],
    ['Draw it', 14_400, 'high', 'who Robin Keller', 'tag content'],
    ['#content'],
  ])
})

test('takes names in rows only as a whole', () => {
  const tags = ['API docs', 'devops', 'v1.2', 'resign'].map((name) => ({ id: name, name }))
  const statuses = [{ key: 'v1_2', name: 'v1.2' }]
  const rows = [
    'Title\tTag\tAssignee\tStatus',
    'New endpoint\tAPI\tines  okafor\tv12',
    'Other thing\tdev, re-sign, V1.2\tInes\tV1.2',
  ]
  assert.deepEqual(
    parsePastedTasks(rows.join('\n'), { ...vocabulary, tags, statuses }).map(format),
    [
      ['New endpoint', 'new tag API', 'who Ines Okafor', 'Status: v12'],
      ['Other thing', 'new tag dev', 'new tag re-sign', 'tag v1.2', 'v1_2', 'Assignee: Ines'],
    ],
  )
  const guest = { ...vocabulary, tags, canCreateTags: false }
  assert.deepEqual(parsePastedTasks('Title\tTag\nOne\tdev, v1.2', guest).map(format), [
    ['One', 'Tag: dev, v1.2'],
  ])
})
