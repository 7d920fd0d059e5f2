import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { listOperations } from '#http/api-reference/openapi/operations.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { EVENT_SCHEMAS, publicRoutes } from '#server/app.ts'
import { CLIENT_GENERATORS } from '../../tools/clients/generators.ts'

const guide = readFileSync('docs/guides/clients.md', 'utf8')

test('npm run clients runs each generator by the command of the guide', () => {
  const documented = [...guide.matchAll(/^Run `(?:npx )?([^`]+)`/gm)].map(([, words = '']) => words)
  const run = CLIENT_GENERATORS.filter(({ sample }) => sample).map(({ generate: [command] }) => {
    const [program = '', ...words] = command ?? []
    return [basename(program), ...words].join(' ').replace(/ --config \S+/, '')
  })
  assert.deepEqual(documented, run)
})

test('npm run clients gives oapi-codegen the settings of the guide', () => {
  const [, documented] = /^```yaml\n(package: [^`]+)```$/m.exec(guide) ?? []
  const path = 'tools/clients/programs/oapi-codegen/oapi-codegen.yaml'
  assert.equal(documented, readFileSync(path, 'utf8'))
})

const called = listOperations(
  createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, 'https://docket.example.com'),
).map(({ method, path, operation }) => ({
  id: operation.operationId,
  method: method.toUpperCase(),
  address: path,
}))

test('the program of each generator calls every operation, as the guide promises', () => {
  for (const { name } of CLIENT_GENERATORS) {
    const [path = ''] = globSync(
      `tools/clients/programs/${name}/{main.go,Story.java,story.py,story.ts}`,
    )
    const text = readFileSync(path, 'utf8')
    const names = text.replaceAll('_', '')
    const isCalled = ({ id, method, address }: (typeof called)[number]) =>
      new RegExp(`\\b${id}(?:With|\\.sync|\\()`, 'i').test(names) ||
      text.includes(`docket.${method}('${address}'`)
    const missing = called.filter((one) => !isCalled(one)).map(({ id }) => id)
    assert.deepEqual(missing, [], name)
  }
})
