import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { curlOf } from './curl.ts'
import type { OpenApiDocument, Operation, Schema } from './document.ts'

const openapi: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Docket', version: 'v1' },
  servers: [{ url: 'https://docket.example.com' }],
  paths: {},
}

const operation = (more: Partial<Operation> = {}): Operation => ({
  operationId: 'any',
  summary: 'Any',
  tags: [],
  responses: {},
  ...more,
})

const taking = (properties: Record<string, Schema>, required: string[] = []) =>
  operation({
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object', properties, required } } },
    },
  })

/** What curl would be handed if the command were pasted into a shell. */
function pasted(path: string, method: string, what: Operation): { args: string[]; input: string } {
  const spy = 'curl() { printf "%s\\0" "$@"; printf "|"; [ -t 0 ] || cat; }\n'
  const env = {
    DOCKET_KEY: 'dkt_1',
    TASK_ID: 'ENG-42',
    PROJECT_ID: 'prj_1',
    TIME_ENTRY_ID: 'tme_1',
  }
  const script = spy + curlOf(openapi, path, method, what)
  const [args = '', input = ''] = execFileSync('sh', ['-c', script], {
    env,
    input: '',
    encoding: 'utf8',
  }).split('|')
  return { args: args.split('\0').slice(0, -1), input }
}

test('a read is called with the key, and its id is a variable', () => {
  assert.deepEqual(pasted('/api/v1/tasks/{id}', 'get', operation()).args, [
    'https://docket.example.com/api/v1/tasks/ENG-42',
    '-H',
    'Authorization: Bearer dkt_1',
  ])
})

test('the variable of an id is named by the resource', () => {
  const { args } = pasted('/api/v1/time-entries/{id}', 'delete', operation())
  assert.deepEqual(args.slice(0, 3), [
    '-X',
    'DELETE',
    'https://docket.example.com/api/v1/time-entries/tme_1',
  ])
})

test('a body has the required fields, and an id in it comes from its variable', () => {
  const schema = {
    project_id: { type: 'string', pattern: '^prj_[0-9a-hjkmnp-tv-z]{26}$' },
    title: { type: 'string', examples: ['Costs $5, `really`'] },
    note: { type: 'string' },
  }
  const what = taking(schema, ['project_id', 'title'])
  const { args, input } = pasted('/api/v1/tasks', 'post', what)
  assert.deepEqual(args.slice(-2), ['-d', '@-'])
  assert.deepEqual(JSON.parse(input), { project_id: 'prj_1', title: 'Costs $5, `really`' })
})

test('a body without ids survives the quotes of the shell', () => {
  const { args } = pasted('/api/v1/tags', 'patch', taking({ name: { examples: ["Ada's"] } }))
  assert.deepEqual(JSON.parse(args.at(-1) ?? ''), { name: "Ada's" })
})

test('a body that may be absent is left out, and a file is uploaded as a form', () => {
  const optional = operation({
    requestBody: { required: false, content: { 'application/json': {} } },
  })
  assert.equal(pasted('/api/v1/tasks/{id}/complete', 'post', optional).args.length, 5)
  const file = operation({
    requestBody: { required: true, content: { 'multipart/form-data': {} } },
  })
  assert.equal(
    pasted('/api/v1/tasks/{id}/attachments', 'post', file).args.at(-1),
    'file=@notes.txt',
  )
})
