import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import * as operations from '../../sdk/src/operations.ts'
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

test('the program of each generator calls every operation, as the guide promises', () => {
  for (const { name } of CLIENT_GENERATORS) {
    const [path = ''] = globSync(`tools/clients/programs/${name}/{main.go,Story.java,story.py}`)
    const text = readFileSync(path, 'utf8').replaceAll('_', '')
    const isCalled = (id: string) => new RegExp(`\\b${id}(?:With|\\.sync|\\()`, 'i').test(text)
    const missing = Object.keys(operations).filter((id) => !isCalled(id))
    assert.deepEqual(missing, [], name)
  }
})
