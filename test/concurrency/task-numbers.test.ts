import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { findNumberFaults } from './task-numbers.ts'

for (const engine of ENGINES) {
  test(`numbers tasks without gaps, and resolves old short ids (${engine})`, async () => {
    assert.deepEqual(await findNumberFaults(await openTestDocket(engine), 5), [])
  })
}
