import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ERROR_CODES, FIELD_CODE_MEANINGS } from '#http/api-reference/error-codes.ts'
import { routes, sessionActions } from '#server/routes.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'

const API = readFileSync('docs/spec/api.md', 'utf8')

/** The text below a heading, up to the next heading of the same or a higher level. */
function section(title: string): string {
  const lines = API.split('\n')
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === title)
  assert.ok(start >= 0, `docs/spec/api.md has no heading "${title}"`)
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => (/^#+(?= )/.exec(line)?.[0].length ?? 9) <= level)
  return rest.slice(0, end === -1 ? undefined : end).join('\n')
}

/** The rows of the tables of a section without their heads, each as the texts of its cells. */
function rows(title: string): string[][] {
  const lines = section(title).split('\n')
  return lines
    .filter((line, at) => /^\| (?!--)/.test(line) && !lines[at + 1]?.startsWith('|--'))
    .map((line) => {
      const cells = line.split(/(?<!\\)\|/).slice(1, -1)
      return cells.map((cell) => cell.trim())
    })
}

const quoted = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

test('the API contract lists exactly the endpoints that are served', () => {
  const list = (title: string) =>
    [...section(title).matchAll(/\b(GET|POST|PATCH|DELETE) `(\/[^`]*)`/g)].map(
      ([, method = '', path = '']) => `${method} /api/v1${path}`,
    )
  const core = list('The 23 endpoints')
  const listed = [...core, ...list('Extensions')]
  const served = routes
    .map(({ endpoint }) => `${endpoint.method} ${endpoint.path.replace(/:\w+/g, ':id')}`)
    .filter((one) => one.includes(' /api/v1/'))
  assert.deepEqual(listed.toSorted(), [...served, 'GET /api/v1/openapi.json'].toSorted())
  assert.equal(core.length, 23)
})

test('every internal address of the API contract is served', () => {
  const served = new Set(
    [...routes, ...sessionActions].map(
      ({ endpoint }) => `${endpoint.method} ${endpoint.path.replace(/:\w+/g, ':id')}`,
    ),
  )
  const listed = rows('Internal API of the web app').flatMap(([requests = '']) =>
    requests.split(';').flatMap((request) => {
      const methods = request.match(/\b(GET|POST|PUT|PATCH|DELETE)\b/g) ?? []
      return quoted(request)
        .filter((path) => path.startsWith('/internal/'))
        .flatMap((path) => methods.map((method) => `${method} ${path.replace(/:\w+/g, ':id')}`))
    }),
  )
  assert.ok(listed.length > 30, `only ${listed.length} addresses were found`)
  assert.deepEqual(
    listed.filter((one) => !served.has(one)),
    [],
  )
})

test('the API contract lists exactly the kinds of event', () => {
  const [list = ''] = section('Kinds of event')
    .split('\n\n')
    .filter((one) => one.includes('Core:'))
  const listed = quoted(list).filter((word) => /^[a-z_]+\.[a-z]+$/.test(word))
  assert.deepEqual(listed.toSorted(), EVENT_KINDS.toSorted())
})

test('every status that the API contract gives a code is that of the code', () => {
  const given = [...API.matchAll(/\b([45]\d\d) ((?:`[a-z_]+`(?:, | or )?)+)/g)].flatMap(
    ([, status = '', codes = '']) => quoted(codes).map((code) => `${status} ${code}`),
  )
  assert.ok(given.length > 60, `only ${given.length} codes were found`)
  const known = new Set([
    '431 invalid_request',
    // A code of OAuth (RFC 6749 §5.2), whose errors have a shape of their own.
    '401 invalid_client',
    ...ERROR_CODES.flatMap(({ status, type, code }) => [`${status} ${code}`, `${status} ${type}`]),
    ...Object.keys(FIELD_CODE_MEANINGS).map((code) => `422 ${code}`),
  ])
  assert.deepEqual(
    given.filter((one) => !known.has(one)),
    [],
  )
})
