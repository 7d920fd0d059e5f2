import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { TSchema } from 'typebox'
import { ApiError } from '#core/api-error.ts'
import { createQueryParser } from '#http/request/query-parameters.ts'
import { routes, sessionActions } from '#server/routes.ts'
import type { FieldError } from '#wire/field-error.ts'
import { createSchemaParser, type InputSchema } from '#wire/schema-parser.ts'
import { openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { multipartForm, rawMultipartForm } from '../support/scenario/multipart-form.ts'
import { createScopedKey, createTestWorkspace } from '../support/world/test-workspace.ts'

interface ErrorBody {
  code: string
  message: string
  details: FieldError[]
  required_scope?: string
}

/** A request: its method and address, and optionally its body or its headers and bytes. */
type Request = readonly [
  target: string,
  body?: unknown,
  more?: { headers?: Record<string, string>; raw?: Uint8Array; key?: string } | undefined,
]

let send: (request: Request) => Promise<ErrorBody>
let task = ''
let readOnlyKey = ''

before(async () => {
  const { storage, server }: TestDocket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(storage)
  readOnlyKey = await createScopedKey(storage, team, 'owner', ['tasks:read'])
  const call = async ([target, body, { headers, raw, key = team.keys.owner } = {}]: Request) => {
    const [method = 'GET', url = ''] = target.split(' ')
    const reply = await server.inject({
      method: method as 'GET',
      url,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...((raw ?? body) !== undefined && {
        payload: raw ? Buffer.from(raw) : JSON.stringify(body),
      }),
    })
    return reply.json()
  }
  send = async (request) => (await call(request)).error
  task = (await call(['POST /api/v1/tasks', { project_id: team.project, title: 'One' }])).id
})

/** What reveals a regular expression. Names, examples and ids contain none of these. */
const REGULAR_EXPRESSION = /[\^$\\{]/

function assertReadable(message: string, context: string): void {
  assert.doesNotMatch(message, REGULAR_EXPRESSION, context)
  assert.match(message, /^[A-Z`]/, context)
  assert.match(message, /[^.]\.$/, context)
  assert.doesNotMatch(message, /undefined|\[object|``/, context)
}

/** The message begins with the path of the field, as far as the error is about one field. */
function assertNamesField({ field, message }: FieldError, subject: string): void {
  assertReadable(message, `${field}: ${message}`)
  assert.ok(message.startsWith(`${subject} `), `${field}: ${message}`)
}

const TASKS = '/api/v1/tasks'
const BULK = `POST ${TASKS}/bulk`

test('a message names the field and says what is accepted', async () => {
  const cases: readonly (readonly [Request, message: string])[] = [
    [[`GET ${TASKS}?limit=0`], 'The query parameter `limit` must be at least 1.'],
    [[`GET ${TASKS}?limit=many`], 'The query parameter `limit` must be a whole number.'],
    [[`GET ${TASKS}?limit=`], 'The query parameter `limit` must not be empty.'],
    [[`GET ${TASKS}?limit=1&limit=2`], 'The query parameter `limit` is given twice.'],
    [
      [`GET ${TASKS}?project_id=ENG`],
      'The query parameter `project_id` must be a project id, such as prj_01h….',
    ],
    [
      [`GET ${TASKS}?assignee_id=me,nobody`],
      'Value 2 of the query parameter `assignee_id` must be me, none or a user id, such as usr_01h….',
    ],
    [
      [`GET ${TASKS}?assignee_id=me&assignee_id=nobody`],
      'Value 2 of the query parameter `assignee_id` must be me, none or a user id, such as usr_01h….',
    ],
    [
      [`GET ${TASKS}?status=todo&status=done,todo`],
      'Value 3 of the query parameter `status` is already in the list.',
    ],
    [[`GET ${TASKS}?status=&status=todo`], 'The query parameter `status` must not be empty.'],
    [
      [`GET ${TASKS}?status=In%20Progress`],
      'The query parameter `status` must be a status key, such as in_progress.',
    ],
    [
      [`GET ${TASKS}?cursor=x`],
      'The query parameter `cursor` is not valid for this list; start again without a cursor.',
    ],
    [
      [`GET ${TASKS}?external_id=1`],
      'The query parameter `external_id` requires `external_source`.',
    ],
    [[`GET ${TASKS}?q=%ff`], 'The query parameter `q` must be percent-encoded UTF-8.'],
    [
      [`POST ${TASKS}`, {}, { headers: { 'idempotency-key': 'ä' } }],
      'The header `Idempotency-Key` must be sent once and have 1 to 255 visible ASCII characters.',
    ],
    [
      [`DELETE ${TASKS}/{task}`, undefined, { headers: { 'if-match': 'seven' } }],
      'The header `If-Match` must be * or a list of ETags in double quotes.',
    ],
    [[`GET ${TASKS}/tsk_1`], 'No record with this id exists, or you do not have access to it.'],
    [[`POST ${TASKS}`, []], 'The body must be an object.'],
    [
      [`PATCH ${TASKS}/{task}`, { title: 'x'.repeat(501) }],
      '`title` must be at most 500 characters.',
    ],
    [
      [`PATCH ${TASKS}/{task}`, { assignee_ids: ['ada'] }],
      '`assignee_ids[0]` must be a user id, such as usr_01h….',
    ],
    [
      [`PATCH ${TASKS}/{task}`, { title: '', priority: 'big', due_date: 'soon' }],
      '`title` must not be empty. See `details` for 2 more errors.',
    ],
    [
      [`PATCH ${TASKS}/{task}`, { custom_fields: { Budget: 1 } }],
      '`custom_fields.Budget` must have a name of up to 40 lower-case letters, digits and ' +
        'underscores that starts with a letter.',
    ],
    [
      [`PATCH ${TASKS}/{task}`, { custom_fields: { budget: {} } }],
      '`custom_fields.budget` must be a string, or true or false, or a number, or an array.',
    ],
    [[BULK, { operations: [{ op: 'create' }] }], '`operations[0].data` is required.'],
    [
      [BULK, { operations: [{ op: 'update', id: 'x', data: {} }] }],
      '`operations[0].id` must be a task id, such as tsk_01h… or ENG-42.',
    ],
    [
      [BULK, { operations: [{ op: 'update', id: '{task}', data: { title: 'x'.repeat(501) } }] }],
      '`operations[0].data.title` must be at most 500 characters.',
    ],
    [
      [`POST ${TASKS}/{task}/attachments`, undefined, multipartForm({ name: 'x', content: '' })],
      '`x` is not an accepted field; accepted fields: file. See `details` for 1 more error.',
    ],
    [
      [`POST ${TASKS}/{task}/attachments`, undefined, rawMultipartForm('no form')],
      '`file` must be a part of a well-formed multipart/form-data body.',
    ],
  ]
  for (const [[target, body, more], message] of cases) {
    const text = body === undefined ? undefined : JSON.stringify(body).replaceAll('{task}', task)
    const error = await send([
      target.replace('{task}', task),
      text === undefined ? undefined : JSON.parse(text),
      more,
    ])
    assert.equal(error.message, message, target)
    for (const detail of error.details) assertReadable(detail.message, target)
  }
})

test('insufficient_scope names the missing scope', async () => {
  const error = await send([`POST ${TASKS}`, {}, { key: readOnlyKey }])
  assert.equal(error.code, 'insufficient_scope')
  assert.equal(error.required_scope, 'tasks:write')
  assert.equal(error.message, 'This request requires the scope `tasks:write`.')
})

const ENDPOINTS = [...routes, ...sessionActions].map(({ endpoint }) => endpoint)

/** Values that most fields reject, one for each JSON type and some for each format. */
const BAD_VALUES = [
  null,
  true,
  -1,
  1.5,
  1e15,
  '',
  ' ',
  '!',
  '\u0000',
  'x'.repeat(70_000),
  [],
  ['!', '!'],
  {},
  { '!': '!', a: {} },
  [{}],
  [null],
]

test('every error of a body names its field and is no regular expression', () => {
  let count = 0
  for (const { body } of ENDPOINTS) {
    if (!body) continue
    const parse = createSchemaParser(body)
    const { properties = {} } = body as InputSchema
    const inputs = [
      null,
      [],
      'text',
      {},
      { unknown_field: 1 },
      ...Object.keys(properties).flatMap((name) => BAD_VALUES.map((value) => ({ [name]: value }))),
      ...BAD_VALUES.map((value) =>
        Object.fromEntries(Object.keys(properties).map((name) => [name, value])),
      ),
    ]
    for (const error of inputs.flatMap((input) => parse(input).errors)) {
      assertNamesField(error, error.field === '' ? 'The body' : `\`${error.field}\``)
      count += 1
    }
  }
  assert.ok(count > 5_000, `${count} errors`)
})

test('every error of a query names its parameter and is no regular expression', () => {
  let count = 0
  for (const endpoint of ENDPOINTS) {
    const parseQuery = createQueryParser(endpoint)
    const { properties = {} } = (endpoint.query ?? {}) as { properties?: Record<string, TSchema> }
    const queries = [...Object.keys(properties), 'unknown'].flatMap((name) =>
      ['', '!', '!,!', '-1', '%00', '%ff', 'x'.repeat(7_000), `1&${name}=1`].map(
        (value) => `${name}=${value}`,
      ),
    )
    for (const query of queries) {
      const error = queryErrorOf(() => parseQuery(query))
      if (!error) continue
      assertReadable(error.message, query)
      for (const { message } of error.details) {
        assertReadable(message, query)
        assert.match(message, /^(The|Value \d+ of the) query parameter `\w+` /, query)
      }
      count += 1
    }
  }
  assert.ok(count > 1_000, `${count} errors`)
})

function queryErrorOf(parse: () => unknown): ApiError | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
