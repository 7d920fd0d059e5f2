import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docketOn, ENGINES } from '../support/engines.ts'
import { countingByMax, countOff } from './numbers.ts'
import { serverWith } from './world/doctored.ts'
import { scaled } from './world/size.ts'

for (const engine of ENGINES) {
  test(`numbers count 1, 2, 3 without gaps, and old short ids resolve (${engine})`, async () => {
    assert.deepEqual(await countOff(await docketOn(engine), scaled(4)), [])
  })

  test(`numbers by the highest that is there are found out (${engine})`, async () => {
    const served = await docketOn(engine)
    const server = await serverWith(served, { storage: countingByMax(served.storage) })
    assert.notDeepEqual(await countOff({ ...served, server }, 1), [])
  })
}
