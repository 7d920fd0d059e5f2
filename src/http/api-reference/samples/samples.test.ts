import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import type { OperationCall } from '../../openapi/document-types.ts'
import { type SampleRequest, writeSamples } from './samples.ts'

const HOSTILE = `Ada's "quotes", \\ \`back\`ticks\`, $HOME, {braces} and
a second line`

const upload: SampleRequest = {
  method: 'POST',
  target: '/api/v1/tasks/$TASK_ID/attachments?filename=a.txt',
  headers: { 'Content-Type': 'text/plain' },
  body: { type: 'text', value: HOSTILE },
  status: 201,
  ids: ['$TASK_ID'],
  query: {},
}

const change: SampleRequest = {
  method: 'PATCH',
  target: '/api/v1/tasks/$TASK_ID',
  headers: { 'Content-Type': 'application/json' },
  body: {
    type: 'json',
    value: {
      title: HOSTILE,
      note: `<@$USER_ID> ${HOSTILE}`,
      tags: [],
      flags: [true, false, null],
      'x-budget': 12.5,
      nested: { list: [{ task: '$TASK_ID' }] },
    },
  },
  status: 200,
  ids: ['$TASK_ID'],
  query: {},
}

const call: OperationCall = {
  method: 'patch',
  path: '/api/v1/tasks/{id}',
  operation: {
    operationId: 'updateTask',
    summary: 'Update a task',
    tags: ['Tasks'],
    responses: { 200: { description: 'The task.' } },
  },
}

const write = (way: string, request: SampleRequest): string =>
  writeSamples(call, request).find(({ name }) => name === way)?.text ?? ''

const ENV = { DOCKET_URL: 'http://docket', DOCKET_KEY: 'dkt_1', TASK_ID: 'tsk_1', USER_ID: 'usr_1' }
const expectedBody = {
  title: HOSTILE,
  note: `<@usr_1> ${HOSTILE}`,
  tags: [],
  flags: [true, false, null],
  'x-budget': 12.5,
  nested: { list: [{ task: 'tsk_1' }] },
}

/** The arguments and the input that curl gets if a sample is pasted into a shell. */
function pasteIntoShell(request: SampleRequest): { args: string[]; input: string } {
  const spy = 'curl() { printf "%s\\0" "$@"; printf "|"; [ -t 0 ] || cat; }\n'
  const [args = '', input = ''] = execFileSync('sh', ['-c', spy + write('curl', request)], {
    env: ENV,
    input: '',
    encoding: 'utf8',
  }).split('|')
  return { args: args.split('\0').slice(0, -1), input }
}

test('curl samples quote texts for the shell and fill in variables', () => {
  const { args, input } = pasteIntoShell(change)
  const url = 'http://docket/api/v1/tasks/tsk_1'
  assert.deepEqual(args.slice(0, 5), ['-X', 'PATCH', url, '-H', 'Authorization: Bearer dkt_1'])
  assert.deepEqual(args.slice(-2), ['-d', '@-'])
  assert.deepEqual(JSON.parse(input), expectedBody)
  assert.equal(pasteIntoShell(upload).args.at(-1), HOSTILE)
})

test('samples of the client library quote texts and fill in variables', () => {
  for (const [request, body] of [
    [change, expectedBody],
    [upload, HOSTILE],
  ] as const) {
    const program = write('docket-client', request).replace(
      /^import .*$/m,
      'const print = (...values) => process.stdout.write(JSON.stringify(values))\nclass Docket {}\nconst updateTask = async (_, ...sent) => sent\nconsole.log = print',
    )
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      env: ENV,
      encoding: 'utf8',
    })
    assert.deepEqual(JSON.parse(printed), [['tsk_1', body]])
  }
})
