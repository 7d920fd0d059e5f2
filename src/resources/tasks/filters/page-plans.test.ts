import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
import { addSearchSupport } from '#db/sqlite/connection.ts'
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
