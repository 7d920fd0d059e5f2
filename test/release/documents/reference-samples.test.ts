import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadPackages } from '#http/packages/package-files.ts'
import { publicRoutes } from '#server/routes.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { listenOnPort } from '#test/support/server/raw-exchange.ts'
import { createMemoryTempDir, createTempDir } from '#test/support/system/temp-dir.ts'
import { createDemoWorkspace } from '../../../src/demo/create-demo-workspace.ts'
import { createDemoCredentials } from '../../../src/demo/first-start.ts'
import { execScript } from './code-blocks.ts'
import { type PageSample, readPageSamples, readSetUp } from './page-samples.ts'

/** The page at /docs, which has all samples. */
let page: Promise<string> | undefined

const readPage = (): Promise<string> => {
  page ??= openTestDocket('sqlite').then(
    async ({ server }) => (await server.inject({ url: '/docs' })).body,
  )
  return page
}

const readSamples = async (way: 'curl' | 'docket-client'): Promise<PageSample[]> =>
  readPageSamples(await readPage(), way)

interface Reader {
  directory: string
  env: Record<string, string>
  /** A request that the server has served. */
  request_id: string
}

const nameRequest = (text: string, request_id: string): string =>
  text.replaceAll(/req_[0-9a-z]{26}|req_…/g, request_id)

/** A data directory with only a new demo workspace. Each way gets a copy of it. */
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
  const headers = { authorization: `Bearer ${api_key}` }
  const reply = await fetch(`${url}/api/v1/me`, { headers })
  // No list has the ids of requests: they are in the headers of replies.
  const request_id = reply.headers.get('x-request-id') ?? assert.fail()
  return { directory: createTempDir(), env: { DOCKET_URL: url, DOCKET_KEY: api_key }, request_id }
}

test('every operation has a sample of each kind on the page', async () => {
  const operations = publicRoutes.map(({ endpoint }) => endpoint.operationId ?? '').toSorted()
  for (const way of ['curl', 'docket-client'] as const) {
    const samples = await readSamples(way)
    assert.deepEqual(samples.map(({ operationId }) => operationId).toSorted(), operations)
  }
})

test('the curl samples work when the page is pasted into a shell from top to bottom', async () => {
  const { directory, env, request_id } = await createReader()
  const samples = await readSamples('curl')
  const statusFile = join(directory, 'statuses')
  const setUp = readSetUp(await readPage())
    .replace(/DOCKET_URL="[^"]+"/, `DOCKET_URL="${env.DOCKET_URL}"`)
    .replace('dkt_…', `${env.DOCKET_KEY}`)
  const curl = `curl() { command curl -sS -w '%{stderr}%{http_code}\\n' "$@" 2>> '${statusFile}'; }`
  const script = [
    `cd '${directory}'`,
    curl,
    setUp,
    ...samples.map(({ text }) => nameRequest(text, request_id)),
  ].join('\n')
  await execScript('sh', ['-c', script], {})
  const statuses = readFileSync(statusFile, 'utf8').trim().split('\n').map(Number)
  assert.deepEqual(
    samples.map(({ operationId }, at) => `${operationId} ${statuses[at]}`),
    samples.map(({ operationId, status }) => `${operationId} ${status}`),
  )
})

test('the samples with docket-client work one after another', async () => {
  const { directory, env, request_id } = await createReader()
  const samples = await readSamples('docket-client')
  const library = join(directory, 'node_modules/docket-client')
  mkdirSync(library, { recursive: true })
  const packed = loadPackages().find(({ name }) => name === 'docket-client') ?? assert.fail()
  execFileSync('tar', ['-xz', '-C', library, '--strip-components=1'], { input: packed.body })
  const variables = { ...env }
  for (const { operationId, text, stores } of samples) {
    const file = join(directory, `${operationId}.mjs`)
    writeFileSync(file, nameRequest(text, request_id))
    const printed = await execScript(process.execPath, [file], variables)
    if (stores) variables[stores.name] = findId(printed, stores.prefix)
  }
  assert.ok(samples.length > 40)
})

function findId(printed: string, prefix: string): string {
  const [id] = RegExp(`${prefix}_[0-9a-z]{26}`).exec(printed) ?? []
  assert.ok(id, `no ${prefix}_ id in ${printed}`)
  return id
}
