import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES, openTestDocket } from '../../support/engines/test-docket.ts'
import { createServerVariant } from '../shared/rewrite-statements.ts'
import { findNumberFaults, numberTasksByMax } from './task-numbers.ts'

for (const engine of ENGINES) {
  test(`numbers tasks without gaps, and resolves old short ids (${engine})`, async () => {
    assert.deepEqual(await findNumberFaults(await openTestDocket(engine), 5), [])
  })

  test(`control: numbering by the highest existing number reuses numbers (${engine})`, async () => {
    const served = await openTestDocket(engine)
    const server = await createServerVariant(served, { storage: numberTasksByMax(served.storage) })
    assert.notDeepEqual(await findNumberFaults({ ...served, server }, 1), [])
  })
}
