import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { forEachWorkspace } from './scheduler.ts'

for (const engine of ENGINES) {
  test(`no workspace waits for one in which the work fails (${engine})`, async () => {
    const { storage } = await openFreshDocket(engine)
    for (let count = 0; count < 3; count += 1) await createTestWorkspace(storage)
    const visits: string[] = []
    let failing: string | undefined
    const step = forEachWorkspace(storage, async (id) => {
      visits.push(id)
      if (id === failing) throw new Error('The work fails')
      // Each workspace needs two steps.
      return visits.filter((visit) => visit === id).length % 2 === 1
    })
    const runRound = async () => {
      visits.length = 0
      while (await step());
      return visits
    }
    const [first, second, third] = new Set(await runRound())
    assert.deepEqual(visits, [first, first, second, second, third, third])

    failing = second
    await assert.rejects(runRound(), /The work fails/)
    assert.deepEqual(visits, [first, first, second])
    assert.deepEqual(await runRound(), [third, third])
    await assert.rejects(runRound(), /The work fails/)
    failing = undefined
    await runRound()
    assert.deepEqual(await runRound(), [first, first, second, second, third, third])
  })
}
