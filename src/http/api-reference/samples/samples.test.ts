import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { SAMPLE_LANGUAGES, type SampleRequest } from './samples.ts'

const HOSTILE = `Ada's "quotes", \\ \`back\`ticks\`, $HOME, {braces} and
a second line`

const upload: SampleRequest = {
  method: 'POST',
  target: '/api/v1/tasks/$TASK_ID/attachments?filename=a.txt',
  headers: { 'Content-Type': 'text/plain' },
  body: { type: 'text', value: HOSTILE },
  status: 201,
  replyType: 'json',
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
  replyType: 'json',
}

const write = (language: string, request: SampleRequest): string =>
  SAMPLE_LANGUAGES.find(({ id }) => id === language)?.write(request) ?? ''

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

test('TypeScript samples quote texts and fill in variables', async () => {
  for (const [request, body] of [
    [change, expectedBody],
    [upload, HOSTILE],
  ] as const) {
    const spy = `globalThis.fetch = async (url, { body }) => ({ status: url, json: async () => body })\n`
    const program = `${spy}${write('typescript', request)}`.replace(
      'console.log(',
      'const print = (...values) => process.stdout.write(JSON.stringify(values))\nprint(',
    )
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      env: ENV,
      encoding: 'utf8',
    })
    const [url, sent] = JSON.parse(printed)
    assert.match(url, /^http:\/\/docket\/api\/v1\/tasks\/tsk_1/)
    assert.deepEqual(request === upload ? sent : JSON.parse(sent), body)
  }
})

test('Python samples escape braces where they fill in variables, and write values as Python does', () => {
  const text = write('python', change)
  assert.match(text, /"title": "Ada's \\"quotes\\", [\s\S]* {braces} and\\na second line",/)
  assert.match(text, /"note": f"<@{user_id}> Ada's [\s\S]* {{braces}} and\\na second line",/)
  assert.match(text, /"flags": \[True, False, None\],/)
  assert.match(text, /user_id = os\.environ\["USER_ID"\]/)
})

test('Go samples join texts and variables, and align the values of a literal', () => {
  const text = write('go', change)
  assert.match(text, /"note": {5}"<@" \+ userID \+ "> Ada's \\"quotes\\"/)
  assert.match(text, /"flags": {4}\[\]any{true, false, nil},/)
  assert.match(text, /"task": taskID,/)
})
