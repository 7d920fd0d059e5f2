import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { listSettings, parseConfig } from '#config/config.ts'
import { TASK_FILTERS } from '#resources/tasks/contract.ts'
import { publicRoutes } from '#server/routes.ts'
import { DELIVERY_RULES } from '#webhooks/results.ts'
import { AUDIT_ACTION_DESCRIPTIONS } from '#wire/audit-actions.ts'
import { SCOPE_DESCRIPTIONS, SCOPES } from '#wire/scopes.ts'
import { COMMANDS } from '../../cli/src/commands.ts'
import { loadAllCommands } from '../../src/cli/commands/command-groups.ts'
import { findUnknownVariables } from '../../src/config/setting-names.ts'

const read = (path: string) => readFileSync(path, 'utf8')

/** A section of a document, below its heading of the second level. */
const sectionOf = (path: string, heading: string): string =>
  read(path).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

/** The texts in backticks in the first column of the tables of a text. */
const firstCells = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, code = '']) => code)

/** Settings without which some of the others are not read. */
const REQUIRED = {
  DOCKET_OIDC_ISSUER: 'https://sso.example.com',
  DOCKET_OIDC_CLIENT_ID: 'docket',
  DOCKET_OIDC_WORKSPACE: 'wsp_01k2m3n4p5q6r7s8t9v0w1x2y9',
}

test('docs/operations-reference.md lists every setting once, with its default', () => {
  const page = read('docs/operations-reference.md')
  const rows = [...page.matchAll(/^\| `(DOCKET_\w+)` \| (.+?) \| .+ \|$/gm)]
  const settings = listSettings()
  const names = settings.map(({ name }) => name)
  assert.deepEqual(rows.map(([, name]) => name).toSorted(), names.toSorted())
  const defaults = parseConfig(REQUIRED)
  let compared = 0
  for (const [, name = '', defaultCell = ''] of rows) {
    const [, value] = /^`([^`]+)`$/.exec(defaultCell) ?? []
    if (value === undefined) continue
    compared += 1
    assert.deepEqual(parseConfig({ ...REQUIRED, [name]: value }), defaults, name)
  }
  assert.ok(compared > 15)
  const [, list = ''] = /These settings are\s([^.]+)\./.exec(page) ?? []
  const inFiles = [...list.matchAll(/`(DOCKET_\w+)`/g)].map(([, name = '']) => name)
  const secrets = settings.filter(({ isSecret }) => isSecret).map(({ name }) => name)
  assert.deepEqual(inFiles.toSorted(), secrets.toSorted())
})

test('deploy files and documents name only existing settings', () => {
  const findUnknown = (text: string) => {
    const named = [...text.matchAll(/\bDOCKET_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => [name, '1'])
    return findUnknownVariables(Object.fromEntries(named), listSettings())
  }
  const paths = globSync(['deploy/**/*', 'docs/**/*.md', '*.md'])
  for (const path of paths.filter((path) => statSync(path).isFile()))
    assert.deepEqual(findUnknown(read(path)), [], path)
  const [unknown] = findUnknown('DOCKET_PROT=4000 DOCKET_PORT=4000')
  assert.equal(unknown, 'DOCKET_PROT is not a setting; did you mean DOCKET_PORT?')
})

test('the guides name every filter of tasks and every scope', () => {
  const filters = [...Object.keys(TASK_FILTERS), 'project_id', 'id']
  const documented = firstCells(sectionOf('docs/guides/lists.md', 'Filter'))
  assert.deepEqual(documented.toSorted(), filters.toSorted())
  const permissions = read('docs/guides/permissions.md')
  for (const scope of SCOPES) assert.ok(permissions.includes(`\`${scope}\``), scope)
  const rows = read('docs/guides/oauth.md').matchAll(/^\| `(\w+:\w+)` \| (.*) \|$/gm)
  const described = Object.fromEntries([...rows].map(([, name, words]) => [name, words]))
  assert.deepEqual(described, { ...SCOPE_DESCRIPTIONS })
})

test('docs/audit.md lists every audit action with its description', () => {
  const rows = [...read('docs/audit.md').matchAll(/^\| `(\w+\.\w+)` \| (.+?) \|/gm)]
  const listed = rows.map(([, action, words]) => [action, words])
  assert.deepEqual(listed, Object.entries(AUDIT_ACTION_DESCRIPTIONS))
})

test('docs/operations-reference.md lists every command, and the guide only commands that exist', async () => {
  const names = (await loadAllCommands()).map(({ name }) => name)
  const [, section = ''] = read('docs/operations-reference.md').split('\n## Command line\n')
  const [list = '', printed = ''] = section.split('\n### What `--json` prints\n')
  assert.deepEqual(firstCells(list).toSorted(), names.toSorted())
  assert.ok(firstCells(printed).every((name) => names.includes(name)))
  const known = [...names, ...COMMANDS.map(({ name }) => `docket ${name}`)]
  const cells = firstCells(read('docs/guides/command-line.md'))
  assert.ok(cells.length > 5)
  for (const cell of cells)
    assert.ok(
      known.some((name) => `${cell} `.startsWith(`${name} `)),
      cell,
    )
})

test('every path that the guides name is served', () => {
  const served = publicRoutes.map(({ endpoint: { method, path } }) => {
    const pattern = path.split(/:\w+/).map(RegExp.escape).join('[^/?]+')
    return { method, pattern: new RegExp(`^${pattern}(\\?.*)?$`) }
  })
  for (const guide of globSync('docs/guides/*.md')) {
    const named = read(guide).matchAll(/`(GET|POST|PATCH|DELETE) (\/api\/[^`…]+)`/g)
    for (const [, method, path = ''] of named) {
      const isServed = served.some((one) => one.method === method && one.pattern.test(path))
      assert.ok(isServed, `${guide}: ${method} ${path}`)
    }
  }
})

test('docs/security.md names an existing test for each threat', () => {
  const rows = [...read('docs/security.md').matchAll(/^\| (?!Threat|---)(.+?) \| .+ \| (.+) \|$/gm)]
  assert.ok(rows.length >= 20)
  for (const [, threat = '', tests = ''] of rows) {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    assert.ok(files.length > 0, threat)
    for (const file of files) assert.ok(file.endsWith('.test.ts') && existsSync(file), file)
  }
})

test('docs/guides/webhooks.md lists the delays between attempts', () => {
  const seconds = new Map([
    ['s', 1],
    ['min', 60],
    ['h', 3_600],
  ])
  const rows = read('docs/guides/webhooks.md').matchAll(/^\| \d+ \| (\d+) (s|min|h)\b.* \|$/gm)
  const waits = [...rows].map(([, count, unit = '']) => Number(count) * (seconds.get(unit) ?? 0))
  assert.deepEqual(waits, DELIVERY_RULES.retrySeconds)
})
