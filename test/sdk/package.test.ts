import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { listOperations } from '#http/api-reference/openapi/operations.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { EVENT_SCHEMAS, publicRoutes } from '#server/app.ts'
import { startLiveDocket } from '#test/support/server/live-docket.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import * as client from '../../sdk/src/index.ts'
import { generateClient } from '../../tools/generate-client.ts'

const ROOT = join(import.meta.dirname, '../..')
const SDK = join(ROOT, 'sdk')
const GUIDE = join(ROOT, 'docs/guides/clients.md')
const MAX_CORE_KB = 12

test('has a function for each endpoint, which calls that endpoint', async () => {
  const openapi = createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, 'https://docket.example.com')
  const functions = new Map<string, unknown>(Object.entries(client))
  for (const { method, path, operation } of listOperations(openapi)) {
    const call = functions.get(operation.operationId)
    assert.ok(typeof call === 'function', `${operation.operationId} is missing`)
    let requested = ''
    const docket = new client.Docket({
      baseUrl: 'http://127.0.0.1',
      token: 'key',
      async fetch(input, init) {
        requested = `${init?.method} ${new URL(String(input)).pathname}`
        return new Response('{}')
      },
    })
    const result: unknown = call(docket, ...(path.includes('{') ? ['an/id'] : []), {})
    await (result instanceof client.List ? result.pages().next() : result)
    assert.equal(requested, `${method.toUpperCase()} ${path.replace(/\{\w+\}/, 'an%2Fid')}`)
  }
})

test('is up to date with the endpoints: npx node tools/generate-client.ts', () => {
  for (const [name, text] of Object.entries(generateClient())) {
    assert.equal(readFileSync(join(SDK, 'src', name), 'utf8'), text, name)
  }
})

test(`a bundle has only what is used, and below ${MAX_CORE_KB} kB`, async () => {
  const bundle = await bundleOf(
    `export { Docket, listTasks, createTask } from ${literal('index.ts')}`,
  )
  assert.match(bundle, /\/api\/v1\/tasks/)
  assert.doesNotMatch(bundle, /\/api\/v1\/(webhooks|time-entries|projects)/)
  const kB = gzipSync(bundle).length / 1000
  assert.ok(kB < MAX_CORE_KB, `${kB} kB`)
  const all = gzipSync(await bundleOf(`export * from ${literal('index.ts')}`)).length / 1000
  assert.ok(all < MAX_CORE_KB, `all functions: ${all} kB`)
})

test('the tarball is one that every kind of program can import, on the Node of the system too', async () => {
  const dir = createTempDir()
  const pack = ['pack', '--pack-destination', dir, '--json']
  const [packed] = JSON.parse(execFileSync('npm', pack, { cwd: SDK, encoding: 'utf8' }))
  const tarball = join(dir, packed.filename)
  const files: string[] = packed.files.map(({ path }: { path: string }) => path)
  assert.deepEqual(
    files.filter(
      (path) => !/^(dist\/[\w-]+\.(js|d\.ts)|LICENSE|README\.md|package\.json)$/.test(path),
    ),
    [],
  )
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin', command), args, {
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    })
    assert.equal(status, 0, stdout + stderr)
  }
  run('publint', 'run', tarball, '--strict')
  run('attw', tarball, '--profile', 'esm-only')

  const app = join(dir, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{"type":"module"}')
  execFileSync('npm', ['install', '--offline', '--no-audit', tarball], {
    cwd: app,
    stdio: 'ignore',
  })
  const { baseUrl, key } = await startDocket()
  const [, program = ''] =
    /```ts\n\/\/ tasks\.ts\n([^`]+)```/.exec(readFileSync(GUIDE, 'utf8')) ?? []
  writeFileSync(join(app, 'tasks.js'), program.replaceAll('{{base_url}}', baseUrl))
  const env = { ...process.env, DOCKET_KEY: key }
  for (const node of new Set([process.execPath, findSystemNode() ?? process.execPath])) {
    const { stdout } = await promisify(execFile)(node, ['tasks.js'], { cwd: app, env })
    assert.equal(stdout, 'ENG-1 Urgent matter\n', node)
  }
})

/** A Docket with one task that the guide's program lists. */
async function startDocket() {
  const { server, team } = await startLiveDocket('sqlite')
  const address = server.server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const key = team.keys.owner
  const docket = new client.Docket({ baseUrl, token: key })
  await client.createTask(docket, {
    project_id: team.project,
    title: 'Urgent matter',
    priority: 'urgent',
    assignee_ids: [team.people.owner],
  })
  return { baseUrl, key }
}

const literal = (name: string) => JSON.stringify(join(SDK, 'src', name))

async function bundleOf(code: string): Promise<string> {
  const entry = join(createTempDir(), 'entry.ts')
  writeFileSync(entry, code)
  const build = await rolldown({ input: entry, logLevel: 'silent' })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  return output[0].code
}

/** The Node that is installed, which is often older than that of the lockfile. */
const findSystemNode = () =>
  ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path))
