import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { listOperations } from '#http/api-reference/openapi/operations.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { EVENT_SCHEMAS, publicRoutes } from '#server/app.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import * as client from '../../sdk/src/index.ts'
import { generateClient } from '../../tools/clients/generate-client.ts'

const ROOT = join(import.meta.dirname, '../..')
const SDK = join(ROOT, 'sdk')
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

test('is up to date with the endpoints: node tools/generate-client.ts', () => {
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

test('the tarball is one that every kind of program can import, on the oldest Node too', () => {
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
  writeFileSync(
    join(app, 'main.js'),
    `import { Docket, isDocketError, getMe } from 'docket-client'
const docket = new Docket({ baseUrl: 'http://127.0.0.1:1', token: 'key', maxRetries: 0 })
getMe(docket).catch((error) => console.log(isDocketError(error, 'network_error')))`,
  )
  for (const node of [process.execPath, findSystemNode()].filter(Boolean)) {
    assert.equal(execFileSync(String(node), ['main.js'], { cwd: app, encoding: 'utf8' }), 'true\n')
  }
})

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
