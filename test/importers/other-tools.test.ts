import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Comment } from '#resources/comments/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import { createImporter } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const read = (name: string) => readFileSync(join(import.meta.dirname, 'files', name))

interface ToolExport {
  file: string
  bytes: () => Promise<Uint8Array> | Uint8Array
  kind: string
  /** The expected tasks by project, with names in place of ids. */
  expected: Record<string, object[]>
}

const task = (title: string, status: string, more: object = {}) => ({ title, status, ...more })

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
          estimate_seconds: 5_400,
          after: ['Write the spec'],
          people: ['member'],
          comments: [
            ['member', '*2026-01-02*\n\nFirst; with a semicolon'],
            ['admin', '*bob, 2026-01-03*\n\nSecond\non two lines'],
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
          estimate_seconds: 5_400,
          people: ['member'],
          comments: [['admin', '*Evan, 2026-01-02*\n\nWhat Evan said']],
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
          comments: [
            ['member', '*2026-01-02*\n\nFirst'],
            ['admin', '*Bob, 2026-01-03*\n\nSecond'],
          ],
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
          comments: [['admin', '*bob, 2026-01-02*\n\nFirst']],
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
          comments: [['admin', '*bob, 2026-01-02*\n\nFirst']],
        }),
        task('Read the lines', 'Done', { parent: 'Ship the importer', after: ['Write the spec'] }),
      ],
      'Another project': [task('Write the spec', 'To do', { priority: 'low' })],
    },
  },
]

for (const engine of ENGINES) {
  test(`imports exports of Linear, Jira, Todoist, TickTick, Trello, GitHub and Vikunja (${engine})`, async () => {
    const docket = await fresh(engine)
    const team = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, team)
    const all = async <T>(url: string) => (await importer.ask<{ data: T[] }>('GET', url)).data
    for (const { file, bytes, kind, expected } of TOOLS) {
      const before = (await readEvents(docket.storage, team.workspace)).length
      const { id } = await importer.upload(file, await bytes())
      await importer.work()
      const ready = await importer.get(id)
      assert.deepEqual([ready.status, ready.kind, ready.error], ['ready', kind, null], file)
      await importer.act(id, 'start')
      await importer.work()
      assert.deepEqual(await importer.faults(id), [], file)
      const projects = await all<Project>('/api/v1/projects')
      let made = 0
      for (const [name, tasks] of Object.entries(expected)) {
        const project = projects.find((one) => one.name === name) ?? assert.fail(name)
        const imported = await all<Task>(`/api/v1/projects/${project.id}/tasks`)
        made += imported.length
        assert.deepEqual(
          await Promise.all(imported.map((one) => describeTask(one, project))),
          tasks,
          file,
        )
      }
      const newEvents = (await readEvents(docket.storage, team.workspace)).slice(before)
      const created = newEvents.filter(({ type }) => type === 'task.created').length
      assert.equal(created, made, file)
    }
    // A second import of the same file finds the tasks by their external ids.
    const { id } = await importer.upload('issues.json', read('github.json'))
    await importer.work()
    await importer.act(id, 'start')
    await importer.work()
    const { made_count, failed_count } = await importer.get(id)
    assert.deepEqual([made_count, failed_count], [0, 2])

    /** A task with names in place of ids, without unset fields. */
    async function describeTask(one: Task, { id: project_id, statuses }: Project): Promise<object> {
      const tags = await all<Tag>(`/api/v1/projects/${project_id}/tags`)
      const titleOf = async (of: string) =>
        (await importer.ask<Task>('GET', `/api/v1/tasks/${of}`)).title
      const roleOf = (of: string) => Object.entries(team.people).find(([, id]) => id === of)?.[0]
      const comments = await all<Comment>(`/api/v1/tasks/${one.id}/comments`)
      for (const { source } of comments) assert.equal(source, 'import')
      const { description, priority, due_at, start_date, estimate_seconds, recurrence } = one
      // The first day of a rule depends on the day of the test.
      const due_date = recurrence ? null : one.due_date
      const fields = {
        description,
        due_date,
        due_at,
        start_date,
        estimate_seconds,
        recurrence,
        priority: priority === 'none' ? null : priority,
        tags: tags.flatMap(({ id, name }) => (one.tag_ids.includes(id) ? name : [])),
        people: one.assignee_ids.map(roleOf),
        parent: one.parent_id === null ? null : await titleOf(one.parent_id),
        after: await Promise.all(one.blocked_by_ids.map(titleOf)),
        comments: comments.map(({ author_id, body }) => [roleOf(author_id), body]),
      }
      const setFields = Object.entries(fields).filter(
        ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
      )
      const status = statuses.find(({ key }) => key === one.status)?.name
      return { title: one.title, status, ...Object.fromEntries(setFields) }
    }
  })
}

for (const engine of ENGINES) {
  test(`takes days of timestamps in the time zone of the workspace (${engine})`, async () => {
    const docket = await fresh(engine)
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
}
