import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '#resources/tasks/fields.ts'
import { ENGINES } from '../support/engines.ts'
import { freshDockets } from '../support/fresh.ts'
import { newHome } from '../support/home.ts'
import { importerOf } from '../support/importing.ts'
import { eventsOf } from '../support/scenario.ts'

// Importers in other processes of the tests would take jobs of a database that they share.
const fresh = freshDockets()

const FILE = `Title,Description,Status,Priority,Assigned to,Labels,Due,Estimate,ID,Parent
Ship the importer,"See **RFC 12**,
twice",In progress,High,the member,"backend, parser",2026-03-31,1h 30m,1,
Write the reader,,Done,,nobody@example.com,parser,31.3.2026,2,2,1
Odd day,,To do,,,,3/4/2026,,3,
,,To do,,,,,,4,
`

interface Listed {
  data: Task[]
}

for (const engine of ENGINES) {
  test(`a table is looked at, brought in, and taken back (${engine})`, async () => {
    const served = await fresh(engine)
    const home = await newHome(served.storage)
    const by = await importerOf(served, home)
    const { id, status } = await by.upload('Plans.csv', FILE)
    assert.equal(status, 'reading')
    await by.work()

    const ready = await by.get(id)
    assert.equal(ready.status, 'ready', ready.error ?? '')
    assert.deepEqual([ready.row_count, ready.failed_count, ready.made_count], [4, 2, 0])
    assert.deepEqual(
      ready.statuses.map(({ name, category, count }) => [name, category, count]),
      [
        ['In progress', 'started', 1],
        ['Done', 'completed', 1],
        ['To do', 'unstarted', 2],
      ],
    )
    assert.deepEqual(
      ready.people.map(({ name, user_id }) => [name, user_id]),
      [
        ['the member', home.people.member],
        ['nobody@example.com', null],
      ],
    )
    assert.deepEqual(await by.faults(id), [
      {
        number: 5,
        title: 'Odd day',
        message: 'due_date: "3/4/2026" is no day, or can be two: write it such as 2026-03-31.',
      },
      { number: 6, title: '', message: 'title must not be empty.' },
    ])
    const before = await eventsOf(served.storage, home.workspace)
    await by.choose(id, { projects: [{ name: '', project_id: home.project }] })
    await by.act(id, 'start')
    await by.work()

    const done = await by.get(id)
    assert.deepEqual(
      [done.status, done.made_count, done.failed_count, done.done_count],
      ['done', 2, 2, 4],
    )
    const list = () => by.ask<Listed>('GET', `/api/v1/projects/${home.project}/tasks`)
    const { data } = await list()
    const [first, second] = data
    assert.ok(first && second && data.length === 2)
    assert.deepEqual(
      [first.title, first.description, first.status, first.priority, first.due_date],
      ['Ship the importer', 'See **RFC 12**,\ntwice', 'in_progress', 'high', '2026-03-31'],
    )
    assert.deepEqual([first.assignee_ids, first.estimate_seconds], [[home.people.member], 5_400])
    assert.deepEqual(
      [second.parent_id, second.status, second.due_date, second.estimate_seconds],
      [first.id, 'done', '2026-03-31', 7_200],
    )
    assert.equal(second.description, 'Assigned to: nobody@example.com')
    assert.equal(first.tag_ids.length, 2)
    assert.equal(second.tag_ids.length, 1)
    const told = (await eventsOf(served.storage, home.workspace)).slice(before.length)
    assert.deepEqual(
      told.map(({ type }) => type),
      ['task.created', 'task.assigned', 'task.created'],
    )

    await by.act(id, 'undo')
    await by.work()
    assert.equal((await by.get(id)).status, 'undone')
    assert.deepEqual((await list()).data, [])
    const tags = await by.ask<Listed>('GET', `/api/v1/projects/${home.project}/tags`)
    assert.deepEqual(tags.data, [])
  })

  test(`a killed run goes on where it was, and makes nothing twice (${engine})`, async () => {
    const served = await fresh(engine)
    const home = await newHome(served.storage)
    const by = await importerOf(served, home)
    const lines = Array.from({ length: 120 }, (_, at) => `Task ${at},${at % 2 ? 'odd' : 'even'}`)
    const { id } = await by.upload('Many.csv', `title,tags\n${lines.join('\n')}`)
    await by.work()
    await by.act(id, 'start')
    await by.step()
    await by.step()
    const half = await by.get(id)
    // A transaction ends after a while, too: fifty, where the machine is not busy.
    assert.equal(half.status, 'running')
    assert.ok(half.made_count > 0 && half.made_count <= 50, `${half.made_count}`)

    // Another process takes over only when the first is silent for long: here it is named the same.
    const other = await importerOf(served, home)
    await other.step()
    assert.equal((await by.get(id)).made_count, half.made_count)
    await by.act(id, 'pause')
    await by.work()
    assert.equal((await by.get(id)).made_count, half.made_count)
    await by.act(id, 'start')
    await Promise.all([by.work(), other.work()])
    const done = await by.get(id)
    assert.deepEqual([done.status, done.made_count], ['done', 120])
    const events = await eventsOf(served.storage, home.workspace)
    const titles = events
      .filter(({ type }) => type === 'task.created')
      .map(({ payload }) => (JSON.parse(payload) as { data: Task }).data.title)
    assert.deepEqual(
      titles,
      Array.from({ length: 120 }, (_, at) => `Task ${at}`),
    )
  })
}
