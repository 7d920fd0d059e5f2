import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { listCalls } from '#http/openapi/document-types.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { EVENT_SCHEMAS } from '#resources/nouns.ts'
import { publicRoutes } from '#server/routes.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import * as client from '../../sdk/src/index.ts'
import { generateClient } from '../../tools/generate-client.ts'

const SDK = resolve('sdk')
const MAX_CORE_KB = 12

test('has a function for each endpoint, which calls that endpoint', async () => {
  const openapi = createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, 'https://docket.example.com')
  const functions = new Map<string, unknown>(Object.entries(client))
  for (const { method, path, operation } of listCalls(openapi)) {
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

const literal = (name: string) => JSON.stringify(join(SDK, 'src', name))

async function bundleOf(code: string): Promise<string> {
  const entry = join(createTempDir(), 'entry.ts')
  writeFileSync(entry, code)
  const build = await rolldown({ input: entry, logLevel: 'silent' })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  return output[0].code
}
