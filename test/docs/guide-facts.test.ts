import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseRecurrenceRule } from '#lib/recurrence.ts'
import { TASK_FILTERS } from '#resources/tasks/contract.ts'
import { publicRoutes } from '#server/app.ts'
import { SCOPES } from '#wire/scopes.ts'
import { COMMANDS } from '../../cli/src/commands.ts'
import { loadAllCommands } from '../../src/cli/commands/command-groups.ts'

/** The text of a guide, or of one of its sections. */
function readGuide(slug: string, heading?: string): string {
  const guide = readFileSync(`docs/guides/${slug}.md`, 'utf8')
  if (heading === undefined) return guide
  return guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
}

/** The texts in backticks in the first column of the tables of a text. */
const firstCells = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, cell = ''] = line.split('|')
      return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
    })

test('the guide to lists names every filter of tasks', () => {
  const filters = [...Object.keys(TASK_FILTERS), 'project_id', 'id']
  const documented = firstCells(readGuide('lists', 'Filter'))
  assert.deepEqual(documented.toSorted(), filters.toSorted())
})

test('every rule of the recurrence guide is accepted, and the parts that it excludes are not', () => {
  const rules = firstCells(readGuide('recurrence', 'Rule parts')).filter((cell) =>
    cell.startsWith('FREQ='),
  )
  assert.ok(rules.length >= 8)
  for (const rule of rules) assert.ok(parseRecurrenceRule(rule), rule)
  const accepted = [
    'UNTIL=20271231',
    'UNTIL=20271231T235959Z',
    'BYDAY=2MO',
    'BYDAY=-1FR',
    'COUNT=999',
  ]
  for (const part of accepted) assert.ok(parseRecurrenceRule(`FREQ=MONTHLY;${part}`), part)
  const refused = ['BYHOUR=9', 'BYWEEKNO=1', 'BYYEARDAY=1', 'COUNT=1000', 'COUNT=2;UNTIL=20271231']
  for (const part of refused)
    assert.equal(parseRecurrenceRule(`FREQ=MONTHLY;${part}`), undefined, part)
  assert.equal(parseRecurrenceRule('FREQ=WEEKLY;BYMONTHDAY=1'), undefined)
  assert.equal(parseRecurrenceRule('FREQ=WEEKLY;BYSETPOS=1'), undefined)
})

test('the guide to permissions names every scope', () => {
  const guide = readGuide('permissions')
  for (const scope of SCOPES) assert.ok(guide.includes(`\`${scope}\``), scope)
})

test('every command of the command line guide exists', async () => {
  // The command for people is written out, because the rest of the guide is about the operator's.
  const names = [
    ...(await loadAllCommands()).map(({ name }) => name),
    ...COMMANDS.map(({ name }) => `docket ${name}`),
  ]
  const cells = firstCells(readGuide('command-line'))
  assert.ok(cells.length > 5)
  for (const cell of cells)
    assert.ok(
      names.some((name) => `${cell} `.startsWith(`${name} `)),
      cell,
    )
})

test('docs/operations.md lists every command', async () => {
  const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split('\n## Command line\n')
  const [list = '', printed = ''] = section.split('\n### What `--json` prints\n')
  const names = (await loadAllCommands()).map(({ name }) => name)
  assert.deepEqual(firstCells(list).toSorted(), names.toSorted())
  assert.ok(firstCells(printed).length > 20)
  assert.deepEqual(
    firstCells(printed).filter((name) => !names.includes(name)),
    [],
  )
})

test('every path that the guides name is served', () => {
  const served = publicRoutes.map(({ endpoint: { method, path } }) => {
    const pattern = RegExp.escape(path).replace(/:\w+/g, '[^/?]+')
    return { method, pattern: new RegExp(`^${pattern}(\\?.*)?$`) }
  })
  for (const slug of [
    'authentication',
    'events',
    'keep-a-copy',
    'lists',
    'quickstart',
    'rate-limits',
    'requests',
  ]) {
    const guide = readGuide(slug)
    for (const [, method, path = ''] of guide.matchAll(
      /`(GET|POST|PATCH|DELETE) (\/api\/[^`]+)`/g,
    )) {
      const isServed = served.some((one) => one.method === method && one.pattern.test(path))
      assert.ok(isServed, `${slug}: ${method} ${path}`)
    }
  }
})
