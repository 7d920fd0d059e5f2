import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Project } from '#resources/projects/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createImporter } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']

for (const engine of ENGINES) {
  test(`imports projects, statuses, tags and people with names of object members (${engine})`, async () => {
    const docket = await fresh(engine)
    const team = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, team)
    const all = async <T>(path: string) =>
      (await importer.ask<{ data: T[] }>('GET', `/api/v1/${path}`)).data
    // Each batch has rows of every project.
    const rows = NAMES.flatMap((name) => [name, name, name, name].join(','))
    const lines = Array.from({ length: 20 }, () => rows).flat()
    const header = 'title,project,status,assignee,tags,id,parent'
    const text = lines.map((line, at) => `Task ${at},${line},${NAMES[at] ?? at},`)
    const { id } = await importer.upload('Names.csv', [header, ...text].join('\n'))
    await importer.work()
    const { people, statuses, projects } = await importer.get(id)
    for (const entries of [people, statuses, projects]) {
      assert.deepEqual(
        entries.map(({ name, count }) => [name, count]),
        NAMES.map((name) => [name, 20]),
      )
    }
    await importer.choose(id, {
      people: [{ name: '__proto__', user_id: team.people.member }],
    })
    await importer.act(id, 'start')
    await importer.work()
    assert.deepEqual(await importer.faults(id), [])
    assert.equal((await importer.get(id)).made_count, lines.length)

    const made = (await all<Project>('projects')).filter(({ name }) => NAMES.includes(name))
    assert.deepEqual(made.map(({ name }) => name).toSorted(), NAMES)
    for (const project of made) {
      const tasks = await all<Task>(`projects/${project.id}/tasks`)
      assert.equal(tasks.length, 20)
      const [task = assert.fail()] = tasks
      const status = project.statuses.find(({ key }) => key === task.status)
      const tags = await all<Tag>(`projects/${project.id}/tags`)
      assert.deepEqual([status?.name, tags.map(({ name }) => name)], [project.name, [project.name]])
      const isMapped = project.name === '__proto__'
      assert.deepEqual(task.assignee_ids, isMapped ? [team.people.member] : [])
      assert.equal(task.description, isMapped ? null : `Assigned to: ${project.name}`)
    }

    await importer.act(id, 'undo')
    await importer.work()
    const archived = await all<Project>('projects?status=archived')
    assert.deepEqual(archived.map(({ name }) => name).toSorted(), NAMES)
  })

  test(`reads any other text as no Todoist priority (${engine})`, async () => {
    const docket = await fresh(engine)
    const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
    const lines = ['1', '4', ...NAMES].map((priority) => `task,One,1,${priority}`)
    const text = ['TYPE,CONTENT,INDENT,PRIORITY', ...lines].join('\n')
    const { id } = await importer.upload('Todoist.csv', text)
    await importer.work()
    await importer.act(id, 'start')
    await importer.work()
    assert.deepEqual(await importer.faults(id), [])
    const { data } = await importer.ask<{ data: Task[] }>('GET', '/api/v1/tasks')
    assert.deepEqual(data.map(({ priority }) => priority).toSorted(), [
      'none',
      'none',
      'none',
      'none',
      'none',
      'urgent',
    ])
  })
}
