import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OPERATION_ORDER } from '#http/api-reference/reference/page-order.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { listenOnPort } from '#test/support/server/raw-exchange.ts'
import { createMemoryTempDir, createTempDir } from '#test/support/system/temp-dir.ts'
import { createDemoWorkspace } from '../../../src/demo/create-demo-workspace.ts'
import { createDemoCredentials } from '../../../src/demo/demo-credentials.ts'
import { execScript } from '../code-blocks.ts'
import { buildGoSamples } from './go-program.ts'
import { type PageSample, readPageSamples, readSetUp } from './page-samples.ts'
import { SAMPLE_DRIVERS } from './sample-drivers.ts'

/** The page at /docs, which has the samples of all languages. */
let page: Promise<string> | undefined

const readPage = (): Promise<string> => {
  page ??= openTestDocket('sqlite').then(
    async ({ server }) => (await server.inject({ url: '/docs' })).body,
  )
  return page
}

const readSamples = async (language: string): Promise<PageSample[]> =>
  readPageSamples(await readPage(), language)

interface Reader {
  directory: string
  env: Record<string, string>
}

/** A data directory with only a new demo workspace. Each language gets a copy of it. */
let demo: Promise<{ dataDir: string; api_key: string }> | undefined

async function createDemo() {
  const { storage, config } = await openFreshDocket('sqlite')
  await createDemoWorkspace(storage, { plan: 'free', timezone: 'UTC' })
  const { api_key } = (await createDemoCredentials(storage)) ?? assert.fail()
  return { dataDir: config.dataDir, api_key }
}

/** Somebody who follows the reference, with a Docket that has only a new demo workspace. */
async function createReader(): Promise<Reader> {
  demo ??= createDemo()
  const { dataDir, api_key } = await demo
  const copy = createMemoryTempDir()
  cpSync(dataDir, copy, { recursive: true })
  const { server } = await openFreshDocket('sqlite', { DOCKET_DATA_DIR: copy })
  const url = `http://127.0.0.1:${await listenOnPort(server)}`
  return { directory: createTempDir(), env: { DOCKET_URL: url, DOCKET_KEY: api_key } }
}

test('every operation has a place on the page and a sample', async () => {
  const samples = await readSamples('curl')
  assert.deepEqual(
    samples.map(({ operationId }) => operationId),
    OPERATION_ORDER,
  )
})

test('the curl samples work when the page is pasted into a shell from top to bottom', async () => {
  const { directory, env } = await createReader()
  const samples = await readSamples('curl')
  const statusFile = join(directory, 'statuses')
  const setUp = readSetUp(await readPage())
    .replace(/DOCKET_URL="[^"]+"/, `DOCKET_URL="${env.DOCKET_URL}"`)
    .replace('dkt_…', `${env.DOCKET_KEY}`)
  const curl = `curl() { command curl -sS -w '%{stderr}%{http_code}\\n' "$@" 2>> '${statusFile}'; }`
  const script = [`cd '${directory}'`, curl, setUp, ...samples.map(({ text }) => text)].join('\n')
  await execScript('sh', ['-c', script], {})
  const statuses = readFileSync(statusFile, 'utf8').trim().split('\n').map(Number)
  assert.deepEqual(
    samples.map(({ operationId }, at) => `${operationId} ${statuses[at]}`),
    samples.map(({ operationId, status }) => `${operationId} ${status}`),
  )
})

test('the TypeScript samples work one after another', async () => {
  const command = [process.execPath, '--input-type=module', '-e', SAMPLE_DRIVERS.typescript]
  await runFiles('typescript', 'ts', command)
})

test('the Python samples work one after another', async (t) => {
  if (isMissing(t, 'python3')) return
  await runFiles('python', 'py', ['python3', '-c', SAMPLE_DRIVERS.python])
})

test('the Go samples are formatted, compile and work one after another', async (t) => {
  if (isMissing(t, 'go')) return
  const { directory, env } = await createReader()
  const samples = await readSamples('go')
  const program = buildGoSamples(samples, directory)
  const variables = { ...env }
  const outputs: string[] = []
  for (const { operationId, stores } of samples) {
    const printed = await execScript(program, [operationId], variables)
    outputs.push(printed)
    if (stores) variables[stores.name] = findId(printed, stores.prefix)
  }
  assertStatuses(samples, outputs)
})

/** Runs the samples as files, by a driver of their language. */
async function runFiles(language: string, extension: string, command: string[]): Promise<void> {
  const { directory, env } = await createReader()
  const samples = await readSamples(language)
  const files = samples.map(({ operationId, text, stores }) => {
    const file = join(directory, `${operationId}.${extension}`)
    writeFileSync(file, text)
    return { file, ...(stores && { prefix: stores.prefix, variable: stores.name }) }
  })
  const list = join(directory, 'samples.json')
  writeFileSync(list, JSON.stringify(files))
  const printed = await execScript('sh', ['-c', `"$@" < '${list}'`, 'sh', ...command], env)
  assertStatuses(samples, printed.split('\0'))
}

function findId(printed: string, prefix: string): string {
  const [id] = RegExp(`${prefix}_[0-9a-z]{26}`).exec(printed) ?? []
  assert.ok(id, `no ${prefix}_ id in ${printed}`)
  return id
}

/** Each sample prints the status and the reply. */
function assertStatuses(samples: readonly PageSample[], outputs: readonly string[]): void {
  assert.ok(samples.length > 40)
  for (const [at, { operationId, status, text }] of samples.entries()) {
    const printed = outputs[at] ?? ''
    assert.equal(Number.parseInt(printed, 10), status, `${operationId}\n${text}\n${printed}`)
  }
}

function isMissing(t: TestContext, command: string): boolean {
  const isFound = !spawnSync(command, ['--version']).error
  if (!isFound) t.diagnostic(`nothing on this machine runs ${command}`)
  return !isFound
}
