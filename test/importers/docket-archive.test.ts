import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import type { Project } from '#resources/projects/contract.ts'

import { exportArchive } from '../archive/archive-files.ts'
import { createFilledWorkspace } from '../archive/filled-workspace.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createImporter, describeImportError } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

import { assertTasks, importFile, previewFile } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

test('the first project with a status of a name decides its category', async () => {
  const docket = await fresh('sqlite')
  const source = await createTestWorkspace(docket.storage)
  const owner = await createImporter(docket, source, 'owner')
  const custom = (key: string, name: string, category: string) => ({
    key,
    name,
    category,
    color: '#16a34a',
  })
  // The projects of an archive are in the order of their ids.
  const projects = [source.project, source.hidden].toSorted()
  for (const [at, project_id] of projects.entries()) {
    const path = `/api/v1/projects/${project_id}`
    const { statuses } = await owner.ask<Project>('GET', path)
    const added = [
      custom('live', 'Live', at === 0 ? 'completed' : 'backlog'),
      custom('shelved', 'Shelved', 'canceled'),
    ]
    const body = { statuses: [...statuses, ...added] }
    await owner.ask('PATCH', `/internal/projects/${project_id}`, body)
    for (const status of ['live', 'shelved']) {
      const task = { project_id, title: status, status }
      await owner.ask('POST', '/api/v1/tasks', task, 201)
    }
  }
  const bytes = readFileSync((await exportArchive(docket, source.workspace)).archive)
  const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
  const readCategories = async (file: Buffer) => {
    const { id } = await importer.upload('workspace.tar', file)
    await importer.work()
    const { statuses, error } = await importer.get(id)
    assert.equal(error, null)
    const categories = statuses.map(({ name, category }) => [name, category] as const)
    return Object.fromEntries(categories)
  }
  assert.deepEqual(await readCategories(bytes), { Live: 'completed', Shelved: 'canceled' })
  // What a status of an unknown category means is guessed from its name.
  const unknown = bytes.toString('latin1').replaceAll('"canceled"', '"unlisted"')
  const categories = await readCategories(Buffer.from(unknown, 'latin1'))
  assert.deepEqual(categories, { Live: 'completed', Shelved: 'unstarted' })
})

for (const engine of ENGINES) {
  test(`imports the tasks of a Docket archive with all that they have, and none twice (${engine})`, async () => {
    const docket = await fresh(engine)
    const source = await createTestWorkspace(docket.storage)
    const owner = await createImporter(docket, source, 'owner')
    const post = (url: string, body: object) =>
      owner.ask<{ id: string }>('POST', `/api/v1/${url}`, body, 201)
    const { statuses } = await owner.ask<Project>('GET', `/api/v1/projects/${source.project}`)
    const own = { key: 'live', name: 'Live', color: '#0ea5e9', category: 'started' }
    await owner.ask('PATCH', `/internal/projects/${source.project}`, {
      name: 'Moved',
      description: 'About it',
      color: '#e11d48',
      icon: '🚀',
      start_date: '2027-01-01',
      target_date: '2027-02-01',
      visibility: 'private',
      statuses: [own, ...statuses.map(({ position: _, ...status }) => status)],
    })
    const project_id = source.project
    const { id: tag } = await post(`projects/${project_id}/tags`, {
      name: 'parser',
      color: '#16a34a',
    })
    const rule = { rrule: 'FREQ=WEEKLY;BYDAY=MO', basis: 'due_date' }
    const task = (title: string, more: object = {}) => post('tasks', { project_id, title, ...more })
    const last = await task('Last', {
      due_date: '2027-01-04',
      recurrence: rule,
      tag_ids: [tag],
      custom_fields: { points: 3, areas: ['a', 'b'], ok: true },
      metadata: { 'x-id': '7' },
      external_source: 'git',
      external_id: '42',
    })
    const top = await task('First', { before_id: last.id, status: 'live', priority: 'high' })
    const deleted = await task('Gone')
    await task('At noon', { due_at: '2027-01-31T12:00:00.000Z', description: 'With **words**' })
    await task('Below', {
      parent_id: top.id,
      blocked_by_ids: [last.id, deleted.id],
      estimate_seconds: 5_400,
      assignee_ids: [source.people.owner],
    })
    await task('Below what goes', { parent_id: deleted.id })
    await task('Never', { status: 'canceled' })
    await owner.ask('POST', '/api/v1/tasks/bulk', {
      operations: [{ op: 'delete', id: deleted.id }],
    })
    const first = await post(`tasks/${last.id}/comments`, { body: 'Question' })
    await post(`tasks/${last.id}/comments`, { body: 'Other' })
    await post(`tasks/${last.id}/comments`, { body: 'Answer', parent_id: first.id })
    await post(`tasks/${last.id}/time-entries`, { duration_seconds: 60 })
    const { archive } = await exportArchive(docket, source.workspace)

    const { ready, done, projects, faults } = await importFile(
      docket,
      'a.tar',
      readFileSync(archive),
    )
    assert.deepEqual(faults, [])
    const { project, tags, tasks } = projects.get('Moved') ?? assert.fail()
    assertTasks(tasks, [
      { title: 'First', status: 'Live', category: 'started', priority: 'high', parent: null },
      {
        title: 'Last',
        due_date: '2027-01-04',
        recurrence: rule,
        tags: ['parser'],
        custom_fields: { points: 3, areas: ['a', 'b'], ok: true },
        metadata: { 'x-id': '7', external_source: 'git', external_id: '42' },
      },
      { title: 'At noon', due_at: '2027-01-31T12:00:00.000Z', description: 'With **words**' },
      {
        title: 'Below',
        parent: 'First',
        after: ['Last'],
        estimate: 5_400,
        description: `Assigned to: ${ready.people[0]?.name}`,
      },
      { title: 'Never', category: 'canceled' },
    ])
    const withoutHead = JSON.stringify(
      tasks.find(({ title }) => title === 'Last')?.comments,
    ).replaceAll(/\*[^*]*\*\\n\\n/g, '')
    assert.deepEqual(JSON.parse(withoutHead), ['Question', 'Other', ['Question', 'Answer']])
    assert.deepEqual(
      [project.description, project.color, project.icon, project.visibility],
      ['About it', '#e11d48', '🚀', 'private'],
    )
    assert.deepEqual([project.start_date, project.target_date], ['2027-01-01', '2027-02-01'])
    assert.deepEqual(
      project.statuses.map(({ name, color, category }) => [name, color, category]),
      [own, ...statuses].map(({ name, color, category }) => [name, color, category]),
    )
    assert.equal(tags[0]?.color, '#16a34a')
    const counts = Object.fromEntries(done.not_taken_over.map(({ what, count }) => [what, count]))
    assert.deepEqual(counts, { time_entries: 1, deleted_tasks: 2, activity: 2 })

    const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
    for (const expected of [5, 0]) {
      const { id } = await previewFile(importer, 'a.tar', readFileSync(archive))
      await importer.act(id, 'start')
      await importer.work()
      assert.equal((await importer.get(id)).made_count, expected)
    }
  })
}

test('rejects a truncated or modified archive with the reason', async () => {
  const docket = await fresh('sqlite')
  const { workspace } = await createFilledWorkspace(docket)
  const bytes = readFileSync((await exportArchive(docket, workspace)).archive)
  const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
  const tasks = bytes.indexOf('tasks.jsonl\0')
  const changed = Buffer.from(bytes)
  changed.write('x', tasks + 512)
  const renamed = Buffer.from(bytes)
  renamed.write('tasks.jsonx', tasks)
  const cases: [Buffer, string][] = [
    [bytes.subarray(0, tasks + 600), 'archive_damaged'],
    [changed, 'archive_damaged tasks.jsonl 1'],
    [renamed, 'archive_damaged'],
    [bytes.subarray(0, 5_000), 'archive_damaged'],
  ]
  for (const [file, why] of cases) {
    const { id } = await importer.upload('workspace.tar', file)
    await importer.work()
    const failed = await importer.get(id)
    assert.deepEqual([failed.status, failed.made_count], ['failed', 0])
    assert.equal(describeImportError(failed), why)
  }
})
