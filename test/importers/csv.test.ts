import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '#resources/tasks/fields.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import { createImporter, describeImportError } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { assertTasks, importFile } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const FILE = `Title,Description,Status,Priority,Assigned to,Labels,Due,Estimate,ID,Parent
Ship the importer,"See **RFC 12**,
twice",In progress,High,the member,"backend, parser",2026-03-31,1h 30m,1,
Write the reader,,Done,,nobody@example.com,parser,31.3.2026,2,2,1
Odd day,,To do,,,,3/4/2026,,3,
,,To do,,,,,,4,
`

/** As Asana exports: a parent and what blocks a task stand there by name. */
const ASANA = `Task ID,Completed At,Name,Section/Column,Projects,Parent task,Blocked By (Dependencies)
101,,Relaunch,Doing,Marketing,,
102,2026-03-04,Write copy,,,Relaunch,
103,,Draft,,,Write copy,
104,,Publish,Doing,Marketing,,Relaunch
105,,Twin,Doing,Marketing,,
106,,Twin,Doing,Marketing,,
107,,Of one of two,Doing,Marketing,Twin,
`

/** As ClickUp exports: times in milliseconds, lists in brackets, and words for no value. */
const CLICKUP = `Task ID,Task Name,Status,Due Date,Due Date Text,Parent ID,Assignees,Tags,Time Estimated,Time Estimated Text
86a1,Ship it,in progress,1774944000000,"3/31/2026, 9:00:00 AM GMT+1",null,"[The member,The owner]","[backend,parser]",5400000,1h 30m
86a2,Read it,to do,,,86a1,[],[],,
`

interface CsvTaskList {
  data: Task[]
}

for (const engine of ENGINES) {
  test(`previews, imports and undoes a CSV file (${engine})`, async () => {
    const docket = await fresh(engine)
    const team = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, team)
    const { id, status } = await importer.upload('Plans.csv', FILE)
    assert.equal(status, 'reading')
    await importer.work()

    const ready = await importer.get(id)
    assert.equal(ready.status, 'ready', describeImportError(ready))
    assert.deepEqual([ready.row_count, ready.failed_count, ready.made_count], [4, 1, 0])
    assert.deepEqual(
      ready.statuses.map(({ name, category, count }) => [name, category, count]),
      [
        ['In progress', 'started', 1],
        ['Done', 'completed', 1],
        ['To do', 'unstarted', 1],
      ],
    )
    assert.deepEqual(
      ready.people.map(({ name, user_id }) => [name, user_id]),
      [
        ['the member', team.people.member],
        ['nobody@example.com', null],
      ],
    )
    assert.deepEqual(await importer.faults(id), [
      {
        number: 5,
        title: '',
        error: null,
      },
    ])
    const before = await readEvents(docket.storage, team.workspace)
    await importer.choose(id, { projects: [{ name: '', project_id: team.project }] })
    await importer.act(id, 'start')
    await importer.work()

    const done = await importer.get(id)
    assert.deepEqual(
      [done.status, done.made_count, done.failed_count, done.done_count],
      ['done', 3, 1, 4],
    )
    const list = () => importer.ask<CsvTaskList>('GET', `/api/v1/projects/${team.project}/tasks`)
    const { data } = await list()
    const [first, second, third] = data
    assert.ok(first && second && third && data.length === 3)
    // The other days of the column have the day first.
    assert.equal(third.due_date, '2026-04-03')
    assert.deepEqual(
      [first.title, first.description, first.status, first.priority, first.due_date],
      ['Ship the importer', 'See **RFC 12**,\ntwice', 'in_progress', 'high', '2026-03-31'],
    )
    assert.deepEqual([first.assignee_ids, first.estimate_seconds], [[team.people.member], 5_400])
    assert.deepEqual(
      [second.parent_id, second.status, second.due_date, second.estimate_seconds],
      [first.id, 'done', '2026-03-31', 7_200],
    )
    assert.equal(second.description, 'Assigned to: nobody@example.com')
    assert.equal(first.tag_ids.length, 2)
    assert.equal(second.tag_ids.length, 1)
    const newEvents = (await readEvents(docket.storage, team.workspace)).slice(before.length)
    assert.deepEqual(
      newEvents.map(({ type }) => type),
      [
        'tag.created',
        'tag.created',
        'task.created',
        'task.assigned',
        'task.created',
        'task.created',
      ],
    )

    const { tag_ids } = second
    const body = { project_id: team.project, title: 'Made by hand', tag_ids }
    const made = await importer.ask<{ id: string }>('POST', '/api/v1/tasks', body, 201)
    await importer.act(id, 'undo')
    await importer.work()
    assert.equal((await importer.get(id)).status, 'undone')
    const idsOf = ({ data }: CsvTaskList) => data.map((one) => one.id)
    assert.deepEqual(idsOf(await list()), [made.id])
    const tags = await importer.ask<CsvTaskList>('GET', `/api/v1/projects/${team.project}/tags`)
    assert.deepEqual(idsOf(tags), tag_ids, 'a tag that others use stays')
  })
}

test('puts a task without a status in none of those of the file', async () => {
  const docket = await fresh('sqlite')
  for (const [named, expected] of [
    ['Waiting for customer', ['To do', 'Waiting for customer', 'Done', 'Canceled']],
    ['To do', ['To do', 'Done', 'Canceled']],
  ] as const) {
    const file = `Title,Status\nA,${named}\nB,\nC,Done\n`
    const { projects } = await importFile(docket, 'Plans.csv', file)
    const { project, tasks } = projects.get('Plans') ?? assert.fail()
    assert.deepEqual(
      project.statuses.map(({ name }) => name),
      expected,
    )
    assert.deepEqual(
      tasks.map(({ status }) => status),
      [named, expected[0], 'Done'],
    )
  }
})

test('keeps the most frequent of too many statuses', async () => {
  const docket = await fresh('sqlite')
  const rows = Array.from({ length: 31 }, (_, at) => `T${at},Room ${at}`)
  const file = ['Title,Status', ...rows, 'More,Room 30'].join('\n')
  const { projects, done } = await importFile(docket, 'Plans.csv', file)
  const { project, tasks } = projects.get('Plans') ?? assert.fail()
  const names = project.statuses.map(({ name }) => name)
  assert.ok(names.length <= 30 && names.includes('Room 30'), names.join())
  for (const { title, status, description } of tasks) {
    const room = title === 'More' ? 'Room 30' : String(title).replace('T', 'Room ')
    if (names.includes(room)) assert.deepEqual([status, description], [room, null])
    else assert.equal(description, `Status: ${room}`)
  }
  assert.equal(done.warned_count, tasks.filter((one) => one.description !== null).length)
  assert.ok(done.warned_count > 0)
})

test('imports tables as Asana and ClickUp write them', async () => {
  const docket = await fresh('sqlite')
  const asana = await importFile(docket, 'Asana.csv', ASANA)
  assert.deepEqual([...asana.projects.keys()], ['Marketing'])
  assertTasks(asana.projects.get('Marketing')?.tasks ?? [], [
    { title: 'Relaunch', parent: null, after: [] },
    { title: 'Write copy', parent: 'Relaunch', category: 'completed' },
    { title: 'Draft', parent: 'Write copy' },
    { title: 'Publish', after: ['Relaunch'] },
    { title: 'Twin' },
    { title: 'Twin' },
    { title: 'Of one of two', parent: null, description: 'Part of: Twin' },
  ])
  const clickUp = await importFile(docket, 'ClickUp.csv', CLICKUP)
  const [tasks] = [...clickUp.projects.values()].map((one) => one.tasks)
  assert.equal(clickUp.ready.warned_count, 0)
  assertTasks(tasks ?? [], [
    {
      title: 'Ship it',
      due_date: '2026-03-31',
      estimate: 5_400,
      parent: null,
      people: ['owner', 'member'],
      tags: ['backend', 'parser'],
      description: null,
    },
    { title: 'Read it', parent: 'Ship it', people: [], tags: [], description: null },
  ])
})

test('keeps what a column for completed tasks says if it is neither yes nor no', async () => {
  const docket = await fresh('sqlite')
  const file = 'sep=;\r\nTitle;Completed\r\nOne;Waiting\r\nTwo;Nej\r\nThree;31.3.2026\r\n'
  const { ready, projects } = await importFile(docket, 'Answers.csv', file)
  assert.deepEqual([ready.headers, ready.warned_count], [['Title', 'Completed'], 1])
  assert.deepEqual(
    ready.sample.map(({ number }) => number),
    [3, 4, 5],
  )
  const [tasks] = [...projects.values()].map((one) => one.tasks)
  assertTasks(tasks ?? [], [
    { title: 'One', category: 'unstarted', description: 'Completed: Waiting' },
    { title: 'Two', category: 'unstarted', description: null },
    { title: 'Three', category: 'completed', description: null },
  ])
})

test('takes all columns of one name, addresses behind names, and lines beyond the columns', async () => {
  const docket = await fresh('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const importer = await createImporter(docket, team)
  const file = `Exported by Ada,2026-12-01
Title,Tags,Tags,Notes,notes,Comment,Comment,Owner,Start,Due
One,"a, b",c,First,Second,"Hi, all
there",Bye,"""Member, The"" (member@example.com); Somebody <some@body.example>",2026-12-09,2026-12-08
,,,,,,,,,,beyond
`
  const { id } = await importer.upload('Plans.csv', file)
  await importer.work()
  const ready = await importer.get(id)
  assert.deepEqual(ready.headers.slice(0, 5), ['Title', 'Tags', 'Tags (2)', 'Notes', 'notes'])
  assert.deepEqual(ready.not_taken_over, [{ what: 'lines_above', count: 1 }])
  assert.deepEqual(
    ready.people.map(({ user_id }) => user_id),
    [team.people.member, null],
  )
  assert.deepEqual(
    ready.sample.map(({ number, start_date, due_date }) => [number, start_date, due_date]),
    [
      [3, null, '2026-12-08'],
      [4, null, null],
    ],
  )
  const project = { name: '', project_id: team.project }
  await importer.choose(id, { projects: [project] })
  await importer.act(id, 'start')
  await importer.work()
  const url = `/api/v1/projects/${team.project}/tasks`
  const [one, beyond] = (await importer.ask<CsvTaskList>('GET', url)).data
  assert.deepEqual([one?.tag_ids.length, one?.assignee_ids], [3, [team.people.member]])
  assert.equal(
    one?.description,
    'First\n\nSecond\n\nStart date: 2026-12-09\nAssigned to: Somebody <some@body.example>',
  )
  assert.deepEqual([beyond?.title, beyond?.description], ['Untitled', 'More cells: beyond'])
  const comments = await importer.ask<{ data: { body: string }[] }>(
    'GET',
    `/api/v1/tasks/${one?.id}/comments`,
  )
  assert.deepEqual(
    comments.data.map(({ body }) => body),
    ['Hi, all\nthere', 'Bye'],
  )
})

/** Days in every usual way of writing them, and priorities that are words of one team. */
const DAYS = ['2026-12-10', '10.12.2026', '10 Dec 2026', '12/10/2026', '"Dec 10, 2026"', 'soon']
const PRIORITIES = ['High', 'P1', '!!!', 'Someday']
const THIRTY = Array.from(
  { length: 30 },
  (_, at) => `Task ${at},${DAYS[at % 6]},${PRIORITIES[at % 4]},Robin Keller,Odd`,
)

test('loses no row to dates, priorities, people or statuses, and asks about them', async () => {
  const docket = await fresh('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const importer = await createImporter(docket, team)
  const file = ['Title,Due,Priority,Assignee,Status', ...THIRTY].join('\n')
  const before = await readEvents(docket.storage, team.workspace)
  const { id } = await importer.upload('Thirty.csv', file)
  await importer.work()
  const ready = await importer.get(id)
  assert.deepEqual([ready.row_count, ready.failed_count], [30, 0])
  assert.partialDeepStrictEqual(ready, {
    date_order: { order: 'day_first', count: 5 },
    has_headings: true,
    people: [{ name: 'Robin Keller', is_known: false, count: 30, example: 'Task 0' }],
    statuses: [{ name: 'Odd', is_known: false, category: 'unstarted', count: 30 }],
  })
  assert.deepEqual(ready.column_values[1], ['2026-12-10', '10.12.2026', '10 Dec 2026'])
  assert.deepEqual(
    ready.priorities.map(({ name, is_known, example }) => [name, is_known, example]),
    [
      ['High', true, 'Task 0'],
      ['P1', true, 'Task 1'],
      ['!!!', true, 'Task 2'],
      ['Someday', false, 'Task 3'],
    ],
  )
  assert.deepEqual(
    (await importer.warnings(id)).map(({ number, warnings }) => [number, warnings]),
    [7, 13, 19, 25, 31].map((row) => [
      row,
      [{ code: 'not_a_date', field: 'due_date', value: 'soon', number: null }],
    ]),
  )
  // A preview and its answers create nothing.
  await importer.choose(id, {
    date_order: 'month_first',
    priorities: [{ name: 'Someday', priority: 'low' }],
    people: [{ name: 'Robin Keller', user_id: team.people.member }],
    statuses: [{ name: 'Odd', category: 'started' }],
    projects: [{ name: '', project_id: team.project }],
  })
  await importer.work()
  assert.deepEqual(await readEvents(docket.storage, team.workspace), before)
  await importer.act(id, 'start')
  await importer.work()
  assert.partialDeepStrictEqual(await importer.get(id), { made_count: 30, failed_count: 0 })
  const url = `/api/v1/projects/${team.project}/tasks?limit=200`
  const { data } = await importer.ask<CsvTaskList>('GET', url)
  assert.equal(data.length, 30)
  for (const task of data) {
    const isSoon = DAYS[Number(task.title.slice(5)) % 6] === 'soon'
    assert.deepEqual(
      [task.due_date, task.description, task.status_category, task.assignee_ids],
      [
        isSoon ? null : '2026-12-10',
        isSoon ? 'Due date: soon' : null,
        'started',
        [team.people.member],
      ],
    )
  }
})

test('imports the first row of a table without headings', async () => {
  const docket = await fresh('sqlite')
  const rows = 'Paint fence\t2026-01-05\nBuy paint\t2026-01-06\n'
  const { ready, projects } = await importFile(docket, 'Pasted rows.csv', rows)
  assert.deepEqual([ready.has_headings, ready.row_count], [false, 2])
  const [tasks] = [...projects.values()].map((one) => one.tasks)
  assertTasks(tasks ?? [], [{ title: 'Paint fence' }, { title: 'Buy paint' }])
  const team = await createTestWorkspace(docket.storage)
  const importer = await createImporter(docket, team)
  const { id } = await importer.upload('Pasted rows.csv', 'Garden\tHouse\nFence\tRoof\n')
  await importer.work()
  assert.partialDeepStrictEqual(await importer.get(id), { has_headings: true, row_count: 1 })
  await importer.choose(id, { has_headings: false })
  await importer.work()
  assert.partialDeepStrictEqual(await importer.get(id), { has_headings: false, row_count: 2 })
})
