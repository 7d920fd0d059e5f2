import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyTaskRows } from '#test/support/data/copied-tasks.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, listStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Task } from '../fields.ts'

const CATEGORY = { backlog: 'backlog', todo: 'unstarted', done: 'completed', canceled: 'canceled' }
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent']
const STATUSES = Object.keys(CATEGORY)
const DAYS = [null, null, '2026-01-01', '2026-01-02', '2026-01-02', '2026-01-03']

/** Pseudo-random numbers, the same in each run. */
function dice(seed: number) {
  return (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
}

/** The comparison of each sort order; ties are sorted by id (docs/spec/api.md#sorting-and-filters). */
const KEYS: Record<string, (task: Task) => string | number | null> = {
  position: ({ position }) => position,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  due_date: ({ due_date }) => due_date,
  priority: ({ priority }) => PRIORITIES.indexOf(priority),
  number: ({ number }) => number,
}

function sorted(tasks: readonly Task[], sort: string): Task[] {
  const key = KEYS[sort.replace('-', '')] ?? (() => null)
  const sign = sort.startsWith('-') ? -1 : 1
  return tasks.toSorted((a, b) => {
    const [left, right] = [key(a), key(b)]
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1
    } else if (left !== right) return left < right ? -sign : sign
    return a.id < b.id ? -sign : sign
  })
}

/** Filters, each with the condition that its tasks meet. */
const FILTERS: Record<string, (task: Task) => boolean> = {
  'status=todo,done': ({ status }) => ['todo', 'done'].includes(status),
  'status=todo,no_such': ({ status }) => status === 'todo',
  'status_category=canceled,backlog': (task) =>
    ['canceled', 'backlog'].includes(task.status_category),
  'completed=true': (task) => task.status_category === 'completed',
  'completed=false': (task) => task.status_category !== 'completed',
  'assignee_id={member}': ({ assignee_ids }) => assignee_ids.length === 2,
  'assignee_id=me,none': ({ assignee_ids }) => assignee_ids.length !== 2,
  'assignee_id=none': ({ assignee_ids }) => assignee_ids.length === 0,
  'created_by_id=me': () => true,
  'created_by_id={guest}': () => false,
  'tag_id={tag}': ({ tag_ids }) => tag_ids.length > 0,
  'tag_id=none': ({ tag_ids }) => tag_ids.length === 0,
  'tag_id={tag},none': () => true,
  'priority=high,none': ({ priority }) => ['high', 'none'].includes(priority),
  'parent_id=none': ({ parent_id }) => parent_id === null,
  'parent_id={parent}': ({ parent_id }) => parent_id !== null,
  'due_after=2026-01-02': ({ due_date }) => due_date !== null && due_date >= '2026-01-02',
  'due_before=2026-01-02': ({ due_date }) => due_date !== null && due_date < '2026-01-02',
  'completed_after=1970-01-01T00:00:00Z': ({ completed_at }) => completed_at !== null,
  'completed_before=9999-01-01T00:00:00Z': ({ completed_at }) => completed_at !== null,
  'created_before=1980-01-01T00:00:00%2B01:00': () => false,
  'external_source=jira': ({ external_source }) => external_source !== null,
  'external_source=jira&external_id=3': ({ external_id }) => external_id === '3',
  'q=even': ({ title }) => title.startsWith('Even'),
  'q=even&completed=true&priority=none': (task) =>
    task.title.startsWith('Even') && task.completed_at !== null && task.priority === 'none',
  'due_after=2026-01-01&due_before=2026-01-03&assignee_id=none': ({ due_date, assignee_ids }) =>
    due_date !== null && due_date < '2026-01-03' && assignee_ids.length === 0,
}

for (const engine of ENGINES) {
  const ready = prepared()

  async function prepared() {
    const { server, team, send } = await openTestClient(engine)
    const { project, hidden, people } = team
    const authorization = `Bearer ${team.keys.owner}`
    const random = dice(11)
    const pick = <T>(list: readonly T[]) => list[random(list.length)]
    const { id: tag } = await send(`POST /api/v1/projects/${project}/tags`, { name: 'x' })
    const { id: parent } = await send('POST /api/v1/tasks', {
      project_id: project,
      title: 'Top',
    })
    const operations = Array.from({ length: 60 }, (_, at) => ({
      op: 'create',
      data: {
        project_id: project,
        title: at % 2 ? `Odd ${at}` : `Even ${at}`,
        status: pick(STATUSES),
        priority: pick(PRIORITIES),
        due_date: pick(DAYS),
        assignee_ids: pick([[], [people.owner], [people.admin, people.member]]),
        tag_ids: pick([[], [tag]]),
        parent_id: pick([null, parent]),
        ...(at % 5 === 0 && { external_source: 'jira', external_id: `${at / 5}` }),
      },
    }))
    await send('POST /api/v1/tasks/bulk', { operations })
    await send('POST /api/v1/tasks', { project_id: hidden, title: 'Even elsewhere' })
    /** Reads all pages of a list. */
    const walk = async (url: string): Promise<Task[]> => {
      const found: Task[] = []
      for (let cursor = ''; ; ) {
        const page = await send(`GET ${url}${cursor}`)
        found.push(...page.data)
        assert.equal(typeof page.next_cursor === 'string', page.has_more)
        if (!page.has_more) return found
        assert.match(page.next_cursor, /^[A-Za-z0-9_.-]{1,1024}$/)
        cursor = `&cursor=${page.next_cursor}`
      }
    }
    const all = await walk(`/api/v1/projects/${project}/tasks?limit=200`)
    // Some tasks change, so that the order by change differs from that by creation.
    for (let time = 0; time < 20; time += 1) {
      await send(`PATCH /api/v1/tasks/${pick(all)?.id}`, { estimate_seconds: time })
    }
    const tasks = await walk(`/api/v1/projects/${project}/tasks?limit=200`)
    const known: Record<string, string> = { tag, parent, ...people }
    const filled = (query: string) => query.replace(/\{(\w+)\}/g, (_, name) => known[name] ?? '')
    return { server, authorization, walk, project, tasks, filled }
  }

  test(`the pages of each sort order add up to the whole sorted list (${engine})`, async () => {
    const { walk, project, tasks } = await ready
    const assertPages = async (url: string, expected: readonly Task[]) =>
      assert.deepEqual(
        (await walk(url)).map(({ id }) => id),
        expected.map(({ id }) => id),
        url,
      )
    const ofProject = `/api/v1/projects/${project}/tasks`
    for (const key of Object.keys(KEYS)) {
      for (const sort of [key, `-${key}`]) {
        const whole = sorted(tasks, sort)
        for (const limit of [7, 200])
          await assertPages(`${ofProject}?sort=${sort}&limit=${limit}`, whole)
        // A page that ends after each task: those of one status have ties and empty values too.
        const todo = whole.filter(({ status }) => status === 'todo')
        await assertPages(`${ofProject}?status=todo&sort=${sort}&limit=1`, todo)
        if (['position', 'number'].includes(key)) continue
        await assertPages(`/api/v1/tasks?project_id=${project}&sort=${sort}&limit=13`, whole)
      }
    }
  })

  test(`every filter returns the matching tasks in every sort order (${engine})`, async () => {
    const { walk, project, tasks, filled } = await ready
    for (const [query, lets] of Object.entries(FILTERS)) {
      for (const sort of ['-due_date', 'updated_at']) {
        const wanted = sorted(tasks.filter(lets), sort).map(({ title }) => title)
        for (const list of [`projects/${project}/tasks?`, `tasks?project_id=${project}&`]) {
          const url = `/api/v1/${list}${filled(query)}&sort=${sort}&limit=20`
          assert.deepEqual(
            (await walk(url)).map(({ title }) => title),
            wanted,
            url,
          )
        }
      }
    }
    const some = tasks.slice(0, 100).map(({ id }) => id)
    assert.equal((await walk(`/api/v1/tasks?id=${some.join(',')}`)).length, some.length)
    assert.equal((await walk('/api/v1/tasks?q=elsewhere')).length, 1)
    // Several tasks may have been changed in one millisecond.
    const changed_at = tasks.map(({ updated_at }) => updated_at).toSorted()
    const newest = changed_at.at(-1)
    assert.equal(
      (await walk(`/api/v1/projects/${project}/tasks?updated_since=${newest}`)).length,
      changed_at.filter((at) => at === newest).length,
    )
  })

  test(`shortens a page of large records without losing tasks (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { keys, project, workspace } = await createTestWorkspace(storage)
    const headers = { authorization: `Bearer ${keys.owner}` }
    const payload = { project_id: project, title: 'x', description: 'x'.repeat(65_536) }
    const reply = await server.inject({ method: 'POST', url: '/api/v1/tasks', headers, payload })
    assert.equal(reply.statusCode, 201)
    await copyTaskRows(storage, workspace, reply.json().id, { series: 1, count: 149 })
    const ids = new Set<string>()
    for (let cursor = ''; ; ) {
      const url = `/api/v1/projects/${project}/tasks?limit=200${cursor}`
      const reply = await server.inject({ url, headers })
      assert.ok(reply.rawPayload.length < 8 * 1024 * 1024)
      const page = reply.json()
      for (const { id } of page.data) ids.add(id)
      if (!page.has_more) break
      assert.ok(page.data.length > 100)
      cursor = `&cursor=${page.next_cursor}`
    }
    assert.equal(ids.size, 150)
  })

  test(`rejects invalid query parameters of a list (${engine})`, async () => {
    const { server, authorization, project } = await ready
    const ask = async (query: string) => {
      const url = `/api/v1/projects/${project}/tasks?${query}`
      const reply = await server.inject({ url, headers: { authorization } })
      const { error } = reply.json()
      return [reply.statusCode, error?.code, error?.details[0]?.field]
    }
    const bad = [
      'limit=0',
      'limit=201',
      'limit=01',
      'limit=x',
      'limit=',
      'limit=1&limit=2',
      'sort=title',
      'sort=%2Bposition',
      'status=',
      'status=Todo',
      'status=todo,',
      'status=todo,todo',
      'completed=1',
      'completed=TRUE',
      'assignee_id=usr_x',
      'assignee_id=Me',
      'tag_id=me',
      'created_by_id=none',
      'priority=5',
      'parent_id=ENG-0',
      'parent_id=ENG',
      'parent_id=none,none',
      'due_after=2026-02-30',
      'due_before=2026-01-01T00:00:00Z',
      'created_after=2026-01-01',
      'updated_since=2026-01-01T00:00:00+01:00',
      'external_id=3',
      'q=',
      'q=%ff',
      `q=${'x'.repeat(201)}`,
      'deleted=yes',
      'project_id=prj_01k2m3n4p5q6r7s8t9v0w1x2y0',
      'id=x',
      'dry_run=true',
      'Q=x',
      `status=${Array.from({ length: 51 }, (_, at) => `s${at}`).join(',')}`,
    ]
    for (const query of bad) {
      const field = decodeURIComponent(query.split('=')[0] ?? '')
      assert.deepEqual(await ask(query), [400, 'invalid_parameter', field], query)
    }
    const page = (query: string) =>
      server.inject({ url: `/api/v1/${query}`, headers: { authorization } })
    const path = `projects/${project}/tasks`
    const { next_cursor: cursor } = (await page(`${path}?limit=1&status=todo,done`)).json()
    const ok = await page(`${path}?limit=5&status=todo,done&cursor=${cursor}`)
    assert.equal(ok.statusCode, 200)
    for (const query of [
      `${path}?cursor=`,
      `${path}?cursor=x`,
      `${path}?cursor=%00`,
      `${path}?cursor=${'x'.repeat(5_000)}`,
      `${path}?cursor=${cursor}`,
      `${path}?status=todo&cursor=${cursor}`,
      `${path}?status=todo,done&sort=-position&cursor=${cursor}`,
      `${path}?status=todo,done&cursor=${cursor.slice(0, -1)}`,
      `${path}?status=todo,done&cursor=A${cursor}`,
      `${path}?status=todo,done&q=x&cursor=${cursor}`,
      `tasks?status=todo,done&cursor=${cursor}`,
    ]) {
      const reply = await page(query)
      assert.deepEqual([reply.statusCode, reply.json().error?.code], [400, 'invalid_cursor'], query)
    }
  })
}

scenario('a project without any of the statuses asked for names those that it has', [
  createTaskStep('A', { status: 'todo' }),
  listStep('/api/v1/projects/{project}/tasks?status=open,todo', ['A']),
  ...['open', 'open,no_such'].map((status) => ({
    send: `GET /api/v1/projects/{project}/tasks?status=${status}`,
    status: 400,
    body: {
      error: {
        code: 'invalid_parameter',
        message:
          '`status` in the query must name a status of this project: `backlog`, `todo`, `in_progress`, `done`, `canceled`; for all open tasks send `completed=false`.',
        details: [{ field: 'status' }],
      },
    },
  })),
  listStep('/api/v1/tasks?status=open', []),
])

scenario('a deleted task is still listed by its external id', [
  createTaskStep('Imported', { external_source: 'tracker', external_id: '1' }),
  listStep('/api/v1/tasks?external_source=tracker&external_id=1', ['Imported']),
  { send: 'DELETE /api/v1/tasks/{Imported}', status: 204, events: ['task.deleted'] },
  listStep('/api/v1/tasks?external_source=tracker&external_id=1', []),
  ...['only', 'include'].flatMap((deleted) => [
    listStep(`/api/v1/tasks?deleted=${deleted}&external_source=tracker`, ['Imported']),
    listStep(`/api/v1/tasks?deleted=${deleted}&external_source=tracker&external_id=1`, [
      'Imported',
    ]),
  ]),
])
