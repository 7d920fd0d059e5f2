import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
import { addSearchSupport } from '#db/sqlite/connection.ts'
import { createServerVariant, rewriteStatements } from '#test/support/api/rewrite-statements.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { selectTasks } from './list-query.ts'
import { TASK_FILTER_DEFINITIONS, type TaskFilterName } from './task-filters.ts'

const SORTS = [null, 'tasks.updated_at', 'tasks.priority_rank']
const PROJECT_SORTS = [...SORTS, 'tasks.position', 'tasks.number']
const RANGES = (Object.keys(TASK_FILTER_DEFINITIONS) as TaskFilterName[]).filter(
  (name) => TASK_FILTER_DEFINITIONS[name].index?.scope === 'project',
)

const db = new DatabaseSync(':memory:')
migrateSqlite(db)
addSearchSupport(db)

/** The lines of SQLite's plan for a page with a filter that matches many tasks. */
function planOf(name: TaskFilterName, isOfProject: boolean, column: string | null): string[] {
  const page = selectTasks({
    isOfProject,
    hasSelectedIds: false,
    filters: [{ name }, { name: 'deleted', variant: 'exclude' }],
    order: { column, descending: false, continued: false },
  })
  const { sql, values } = page.text('sqlite')
  const plan = db.prepare(`explain query plan ${sql}`).all(...values.map(() => null))
  return plan.map(({ detail }) => String(detail))
}

test('SQLite walks along the order of a page instead of sorting what a filter matches', () => {
  assert.ok(RANGES.length > 5)
  for (const name of RANGES) {
    for (const isOfProject of [true, false]) {
      for (const column of isOfProject ? PROJECT_SORTS : SORTS) {
        const lines = planOf(name, isOfProject, column)
        const context = `${name} by ${column}\n${lines.join('\n')}`
        assert.ok(!lines.some((line) => line.includes('TEMP B-TREE')), context)
      }
    }
  }
})

test('SQLite begins a page where the matches of a filter on its order begin', () => {
  const BOUNDED: [TaskFilterName, string | null, RegExp][] = [
    ['updated_since', 'tasks.updated_at', /updated_at>\?/],
    ['created_after', null, /\bid>\?/],
    ['created_before', null, /\bid<\?/],
    ['priority', 'tasks.priority_rank', /priority_rank=\?/],
  ]
  for (const [name, column, bound] of BOUNDED) {
    for (const isOfProject of [true, false])
      assert.match(planOf(name, isOfProject, column).join('\n'), bound, `${name} by ${column}`)
  }
})

/** A condition that fails on each row for which it is evaluated. */
const FAILING: Record<DatabaseEngine, string> = {
  sqlite: 'json("tasks"."title") is null',
  postgres: 'cast("tasks"."title" as json) is null',
}

for (const engine of ENGINES) {
  test(`a page full of tasks with a due date is one statement that reads no others (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { keys, project } = await createTestWorkspace(docket.storage)
    const lists = new Set<string>()
    const storage = rewriteStatements(docket.storage, (text, of) => {
      // Each statement is also checked for the other engine.
      if (of !== engine || !/json.* from "tasks"/s.test(text.sql)) return text
      lists.add(text.sql)
      const undue = `$& and ${FAILING[engine]}`
      return { ...text, sql: text.sql.replaceAll('"due_date" is null', undue) }
    })
    const server = await createServerVariant(docket, { storage })
    const headers = { authorization: `Bearer ${keys.owner}` }
    for (const due_date of ['2026-01-01', '2026-01-02', '2026-01-03', null, null]) {
      const payload = { project_id: project, title: 'Write a report', due_date }
      const reply = await server.inject({ method: 'POST', url: '/api/v1/tasks', headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
    }
    for (const path of ['tasks', `projects/${project}/tasks`]) {
      const read = (limit: number) =>
        server.inject({ url: `/api/v1/${path}?sort=due_date&limit=${limit}`, headers })
      lists.clear()
      const page = await read(2)
      assert.deepEqual([page.statusCode, page.json().data?.length, lists.size], [200, 2, 1])
      assert.equal((await read(3)).statusCode, 500, 'control: a page that is not full reads them')
    }
  })
}

/** More tasks than are sorted: 5 times the root of all. */
const COMMON = 70

for (const engine of ENGINES) {
  test(`few matches are found before a page is read, also in all projects (${engine})`, async () => {
    const { team, send, create, isFoundFirst } = await createObservedServer(engine)
    await create(Array.from({ length: COMMON }, () => ({ status: 'todo' })))
    await create([
      {
        title: 'Zeppelin',
        status: 'done',
        priority: 'high',
        due_date: '2026-01-01',
        external_source: 'tracker',
        external_id: '1',
        assignee_ids: [team.people.member],
      },
    ])
    const filters = [
      'status=done',
      'status_category=completed',
      'completed=true',
      'priority=high',
      'due_after=2026-01-01',
      'due_before=2026-01-02',
      'completed_after=2026-01-01T00:00:00Z',
      'external_source=tracker',
      'external_source=tracker&external_id=1',
      'q=zepp',
      `assignee_id=${team.people.member}`,
    ]
    for (const list of ['tasks', `projects/${team.project}/tasks`]) {
      for (const filter of filters) {
        const page = await send('GET', `${list}?${filter}&sort=updated_at`)
        assert.equal(page.data.length, 1, `${list}?${filter}`)
        assert.ok(isFoundFirst(), `${list}?${filter}`)
      }
      for (const filter of ['status=todo', 'completed=false', 'q=task']) {
        const page = await send('GET', `${list}?${filter}&sort=updated_at`)
        assert.equal(page.data.length, 50, `${list}?${filter}`)
        assert.equal(isFoundFirst(), false, `control: ${list}?${filter}`)
      }
    }
  })
}

/** A server with a workspace, which shows whether the last page was one of ids found before. */
async function createObservedServer(engine: DatabaseEngine) {
  const docket = await openTestDocket(engine)
  const team = await createTestWorkspace(docket.storage)
  let page = ''
  const storage = rewriteStatements(docket.storage, (text, of) => {
    if (of === engine && / from "tasks".* order by /s.test(text.sql)) page = text.sql
    return text
  })
  const server = await createServerVariant(docket, { storage })
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  async function send(method: 'GET' | 'POST', path: string, payload?: object) {
    const request = { method, url: `/api/v1/${path}`, headers, ...(payload && { payload }) }
    const reply = await server.inject(request)
    assert.ok(reply.statusCode < 300, reply.body)
    return reply.json()
  }
  return {
    team,
    send,
    create: (tasks: readonly object[]) =>
      send('POST', 'tasks/bulk', {
        operations: tasks.map((task) => ({
          op: 'create',
          data: { project_id: team.project, title: 'Task', ...task },
        })),
      }),
    isFoundFirst: () => /"tasks"\."id" (in|= any)/.test(page),
  }
}
