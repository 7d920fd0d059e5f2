import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Comment } from '#resources/comments/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { exported } from '../archive/support.ts'
import { newWorld } from '../archive/world.ts'
import { ENGINES } from '../support/engines.ts'
import { freshDockets } from '../support/fresh.ts'
import { type Home, newHome } from '../support/home.ts'
import { importerOf } from '../support/importing.ts'

// Importers in other processes of the tests would take jobs of a database that they share.
const fresh = freshDockets()

type Importer = Awaited<ReturnType<typeof importerOf>>

/** The tasks of a workspace by project, with names in place of ids. */
async function told(by: Importer) {
  const all = async <T>(url: string) => (await by.ask<{ data: T[] }>('GET', `/api/v1/${url}`)).data
  const projects: [string, object[]][] = []
  for (const { id, name, statuses } of await all<Project>('projects')) {
    const tags = new Map((await all<Tag>(`projects/${id}/tags`)).map((tag) => [tag.id, tag.name]))
    const tasks = await all<Task>(`projects/${id}/tasks?limit=200`)
    const titles = new Map(tasks.map((task) => [task.id, task.title]))
    const rows = tasks.map(async (task) => ({
      ...{ title: task.title, description: task.description, people: task.assignee_ids.length },
      status: statuses.find(({ key }) => key === task.status)?.name,
      ...{ category: task.status_category, priority: task.priority, due_date: task.due_date },
      estimate: task.estimate_seconds,
      tags: task.tag_ids.map((tag) => tags.get(tag)).toSorted(),
      parent: task.parent_id && titles.get(task.parent_id),
      after: task.blocked_by_ids.map((one) => titles.get(one)).toSorted(),
      comments: (await all<Comment>(`tasks/${task.id}/comments`)).map(({ body }) =>
        body.replace(/^\*[^\n]*\*\n\n/, ''),
      ),
    }))
    const named = (await Promise.all(rows)).map((row) => JSON.stringify(row))
    projects.push([name, named.toSorted().map((row) => JSON.parse(row) as object)])
  }
  return new Map(projects)
}

const ENG = 'Moved'
/** A status of whose name nobody would guess the category. */
const LIVE = { key: 'live', name: 'Live', color: '#16a34a', category: 'completed' }

/** Tasks of which each has what others lack, and one that is deleted. */
async function fill(by: Importer, { project: project_id, people }: Home): Promise<void> {
  const at = `/internal/projects/${project_id}`
  const post = <T = { id: string }>(url: string, body: object) => by.ask<T>('POST', url, body, 201)
  const { statuses } = await by.ask<Project>('GET', `/api/v1/projects/${project_id}`)
  await by.ask('PATCH', at, { name: ENG, statuses: [...statuses, LIVE] })
  const tag = await post(`/api/v1/projects/${project_id}/tags`, { name: 'parser' })
  const task = (title: string, more: object = {}) =>
    post('/api/v1/tasks', { project_id, title, ...more })
  const first = await task('First', { tag_ids: [tag.id], priority: 'high', status: 'live' })
  const gone = await task('Gone')
  const last = await task('Last', { description: 'With **words**', due_date: '2027-01-31' })
  await task('Below', {
    ...{ parent_id: first.id, blocked_by_ids: [last.id, gone.id], estimate_seconds: 5_400 },
    assignee_ids: [people.member],
  })
  await task('Below what goes', { parent_id: gone.id })
  await post(`/api/v1/tasks/${last.id}/comments`, { body: 'Said\nthere' })
  await task('Never', { status: 'canceled' })
  await by.ask('POST', '/api/v1/tasks/bulk', { operations: [{ op: 'delete', id: gone.id }] })
}

for (const engine of ENGINES) {
  test(`an archive of Docket makes the same tasks in a workspace that is there (${engine})`, async () => {
    const served = await fresh(engine)
    const from = await newHome(served.storage)
    await fill(await importerOf(served, from, 'owner'), from)
    const { archive } = await exported(served, from.workspace)
    const was = await told(await importerOf(served, from, 'owner'))

    const home = await newHome(served.storage)
    const by = await importerOf(served, home, 'owner')
    const { id } = await by.upload('workspace.tar', readFileSync(archive))
    await by.work()
    const ready = await by.get(id)
    assert.deepEqual([ready.status, ready.kind, ready.error], ['ready', 'docket', null])
    const people = ready.people.map(({ name }) => ({ name, user_id: home.people.member }))
    await by.choose(id, { people })
    await by.act(id, 'start')
    await by.work()
    assert.deepEqual(await by.faults(id), [])
    const is = await told(by)
    assert.deepEqual(
      ready.projects.map(({ name, count }) => [name, count]),
      [[ENG, 4]],
    )
    assert.equal(was.get(ENG)?.length, 4)
    assert.deepEqual(is.get(ENG), was.get(ENG))

    // Whoever brings it in once more has nothing twice.
    const again = await by.upload('workspace.tar', readFileSync(archive))
    await by.work()
    await by.act(again.id, 'start')
    await by.work()
    assert.equal((await by.get(again.id)).made_count, 0)
  })
}

test('an archive that is cut or changed is refused with what is wrong', async () => {
  const served = await fresh('sqlite')
  const { workspace } = await newWorld(served)
  const bytes = readFileSync((await exported(served, workspace)).archive)
  const by = await importerOf(served, await newHome(served.storage))
  const tasks = bytes.indexOf('tasks.jsonl\0')
  const changed = Buffer.from(bytes)
  changed.write('x', tasks + 512)
  const renamed = Buffer.from(bytes)
  renamed.write('tasks.jsonx', tasks)
  const cases: [Buffer, RegExp][] = [
    [bytes.subarray(0, tasks + 600), /damaged.*tasks\.jsonl is cut off/],
    [changed, /^Line 1 of tasks\.jsonl is no JSON\.$/],
    [renamed, /damaged.*no file that docket export has written/],
    [bytes.subarray(0, 5_000), /damaged/],
  ]
  for (const [file, why] of cases) {
    const { id } = await by.upload('workspace.tar', file)
    await by.work()
    const { status, error, made_count } = await by.get(id)
    assert.deepEqual([status, made_count], ['failed', 0])
    assert.match(error ?? '', why)
  }
})
