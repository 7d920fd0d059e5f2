import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Comment } from '#resources/comments/contract.ts'

import type { Task } from '#resources/tasks/fields.ts'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'

import { createImporter } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { assertTasks, importFile, type NamedTask, previewFile } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const read = (name: string) => readFileSync(join(import.meta.dirname, 'files', name))

interface ToolExport {
  file: string
  bytes: () => Promise<Uint8Array> | Uint8Array
  kind: string
  /** The expected tasks by project, with names in place of ids. */
  expected: Record<string, NamedTask[]>
}

const task = (title: string, status: string, more: object = {}): NamedTask => ({
  title,
  status,
  ...more,
})

const TOOLS: ToolExport[] = [
  {
    file: 'Linear.csv',
    bytes: () => read('linear.csv'),
    kind: 'linear',
    expected: {
      'Linear team': [
        task('Ship the importer', 'In Progress', {
          priority: 'urgent',
          tags: ['Backend', 'Bug', 'Launch'],
          due_date: '2026-03-31',
          description: 'See **RFC 12**\n\nAssigned to: ada@example.com',
        }),
        task('Write the spec', 'Canceled', { priority: 'low', due_date: '2026-03-31' }),
        task('Read the lines', 'Done', { parent: 'Ship the importer', after: ['Write the spec'] }),
      ],
    },
  },
  {
    file: 'Jira.csv',
    bytes: () => read('jira.csv'),
    kind: 'jira',
    expected: {
      'Jira project': [
        task('Write the spec', 'To Do', { priority: 'low' }),
        task('Ship the importer', 'In Review', {
          priority: 'urgent',
          tags: ['backend', 'parser'],
          due_date: '2026-03-31',
          description: 'h3. Why',
          estimate: 5_400,
          after: ['Write the spec'],
          people: ['member'],
          comments: [
            '*2026-01-02*\n\nFirst; with a semicolon',
            '*bob, 2026-01-03*\n\nSecond\non two lines',
          ],
        }),
        task('Read the lines', 'Done', { priority: 'medium', parent: 'Ship the importer' }),
      ],
    },
  },
  {
    file: 'Backup.zip',
    bytes: () => createZip({ 'Todoist project [1234].csv': read('todoist.csv') }),
    kind: 'todoist',
    expected: {
      'Todoist project': [
        task('Ship the importer', 'To do', {
          priority: 'urgent',
          tags: ['backend', 'parser'],
          due_date: '2026-03-31',
          description: 'See **RFC 12**',
          estimate: 5_400,
          people: ['member'],
          comments: ['*Evan, 2026-01-02*\n\nWhat Evan said'],
        }),
        task('Read the lines', 'To do', {
          parent: 'Ship the importer',
          recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=MO', basis: 'due_date' },
        }),
        task('Write the spec', 'Doing', { priority: 'medium' }),
      ],
    },
  },
  {
    file: 'TickTick.csv',
    bytes: () => read('ticktick.csv'),
    kind: 'ticktick',
    expected: {
      Home: [
        task('Water the plants', 'To do', {
          priority: 'medium',
          tags: ['garden', 'green'],
          description: 'Use the blue can',
          recurrence: { rrule: 'FREQ=WEEKLY;INTERVAL=1', basis: 'due_date' },
        }),
        task('Buy soil', 'Done', { parent: 'Water the plants' }),
      ],
      Launch: [
        task('Call the printer', 'Won’t do', {
          priority: 'high',
          due_date: '2026-12-03',
          due_at: '2026-12-03T08:30:00.000Z',
        }),
        task('Pack', 'To do', {
          priority: 'low',
          description: '- [ ] Tape\n- [x] Boxes',
          start_date: '2026-12-02',
          due_date: '2026-12-04',
        }),
      ],
    },
  },
  {
    file: 'Trello.json',
    bytes: () => read('trello.json'),
    kind: 'trello',
    expected: {
      'Trello board': [
        task('Ship the importer', 'Doing', {
          tags: ['backend', 'green'],
          due_date: '2026-03-31',
          start_date: '2026-03-01',
          due_at: '2026-03-31T10:00:00.000Z',
          description: 'See **RFC 12**',
          people: ['member'],
          comments: ['*2026-01-02*\n\nFirst', '*Bob, 2026-01-03*\n\nSecond'],
        }),
        task('Read the lines', 'Archived', { parent: 'Ship the importer' }),
        task('Draw it', 'Doing', { parent: 'Ship the importer' }),
        task('Write the spec', 'Archived'),
      ],
    },
  },
  {
    file: 'issues.json',
    bytes: () => read('github.json'),
    kind: 'github',
    expected: {
      'acme/tool': [
        task('Ship the importer', 'Open', {
          tags: ['bug', 'v1'],
          description: 'See **RFC 12**\n\nAssigned to: ada',
          comments: ['*bob, 2026-01-02*\n\nFirst'],
        }),
        task('Write the spec', 'Not planned'),
      ],
    },
  },
  {
    file: 'vikunja-export.zip',
    bytes: () => createZip({ VERSION: Buffer.from('1.0.0'), 'data.json': read('vikunja.json') }),
    kind: 'vikunja',
    expected: {
      'Vikunja project': [
        task('Ship the importer', 'Doing', {
          priority: 'urgent',
          tags: ['backend'],
          due_date: '2026-03-31',
          people: ['member'],
          due_at: '2026-03-31T10:00:00.000Z',
          description: 'See **RFC 12**\n\n- one',
          comments: ['*bob, 2026-01-02*\n\nFirst'],
        }),
        task('Read the lines', 'Done', { parent: 'Ship the importer', after: ['Write the spec'] }),
      ],
      'Another project': [task('Write the spec', 'To do', { priority: 'low' })],
    },
  },
]

test('imports exports of Linear, Jira, Todoist, TickTick, Trello, GitHub and Vikunja', async () => {
  const docket = await fresh('sqlite')
  for (const { file, bytes, kind, expected } of TOOLS) {
    const { ready, faults, projects } = await importFile(docket, file, await bytes())
    assert.deepEqual([ready.kind, faults], [kind, []], file)
    assert.deepEqual([...projects.keys()].toSorted(), Object.keys(expected).toSorted(), file)
    for (const [name, tasks] of Object.entries(expected))
      assertTasks(projects.get(name)?.tasks ?? [], tasks)
  }
})

for (const engine of ENGINES) {
  test(`a second import of a file makes no task twice (${engine})`, async () => {
    const docket = await fresh(engine)
    const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
    for (const counts of [
      [2, 0],
      [0, 2],
    ]) {
      const { id } = await previewFile(importer, 'issues.json', read('github.json'))
      await importer.act(id, 'start')
      await importer.work()
      const { made_count, failed_count } = await importer.get(id)
      assert.deepEqual([made_count, failed_count], counts)
    }
    const { data } = await importer.ask<{ data: Task[] }>('GET', '/api/v1/tasks')
    assert.equal(data.length, 2)
    const url = `/api/v1/tasks/${data.find(({ comment_count }) => comment_count > 0)?.id}/comments`
    const comments = await importer.ask<{ data: Comment[] }>('GET', url)
    for (const { source } of comments.data) assert.equal(source, 'import')
  })
}

test('takes days of timestamps in the time zone of the workspace', async () => {
  const docket = await fresh('sqlite')
  const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
  const due = '2026-03-31T22:30:00.000Z'
  const boardWith = (id: string) => ({
    cards: [{ id, name: id, due, start: '2026-03-01T01:00:00.000Z' }],
    actions: [
      {
        type: 'commentCard',
        date: '2026-01-02T23:00:00.000Z',
        data: { text: 'First', card: { id } },
      },
    ],
  })
  const zones: [timezone: string, due_date: string, start_date: string, commented: string][] = [
    ['America/Los_Angeles', '2026-03-31', '2026-02-28', '2026-01-02'],
    ['Pacific/Auckland', '2026-04-01', '2026-03-01', '2026-01-03'],
  ]
  for (const [timezone, due_date, start_date, commented] of zones) {
    await importer.ask('PATCH', '/internal/workspace', { timezone })
    const { id } = await importer.upload('Board.json', JSON.stringify(boardWith(timezone)))
    await importer.work()
    assert.equal((await importer.get(id)).sample[0]?.due_date, due_date)
    await importer.act(id, 'start')
    await importer.work()
    const { data } = await importer.ask<{ data: Task[] }>('GET', '/api/v1/tasks')
    const made = data.find(({ title }) => title === timezone) ?? assert.fail(timezone)
    assert.deepEqual([made.due_date, made.due_at, made.start_date], [due_date, due, start_date])
    const url = `/api/v1/tasks/${made.id}/comments`
    const comments = (await importer.ask<{ data: Comment[] }>('GET', url)).data
    assert.deepEqual(
      comments.map(({ body }) => body),
      [`*${commented}*\n\nFirst`],
    )
  }
})
