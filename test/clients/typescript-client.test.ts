import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { CLIENT_GENERATORS, openapiTypescript } from '../../tools/clients/generators.ts'
import { startTargetServer } from '../../tools/clients/target-server.ts'
import { PASSED, tryGenerator } from '../../tools/clients/try-generator.ts'

// `npm run clients openapi-fetch` installs it.
if (openapiTypescript.isInstalled()) {
  test('a generated TypeScript client calls every operation of a later version', async (t) => {
    const generator = CLIENT_GENERATORS.find(({ name }) => name === 'openapi-fetch')
    assert.ok(generator)
    const target = await startTargetServer(createTempDir(), 1)
    t.after(() => target.stop())
    const tried = await tryGenerator(generator, target, createTempDir(), ['growing'])
    assert.equal(tried.result, PASSED, tried.report ?? '')
    const [called, total] = tried.calls?.split(' of ') ?? []
    assert.equal(called, total)
  })
}
