import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import type { Json } from '#lib/json.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** Of these, nine are more than may wait for the commit. */
const LARGE = 1_000_000

const emitTag = (tx: WriteTx, name: string, units = 0): void => {
  const id = `tag_${name}`
  const record = JSON.stringify({ id, name, rest: 'x'.repeat(units) }) as Json<object>
  tx.emit('tag.created', record, { subject_id: id, project_id: null })
}

async function emitLarge(tx: WriteTx, name: string): Promise<void> {
  for (let index = 0; index < 9; index += 1) emitTag(tx, `${name}${index}`, LARGE)
  await tx.storeLargeEvents()
  assert.equal(tx.events.length, 0, 'none waits for the commit')
}

for (const engine of ENGINES) {
  test(`large events are stored before the commit, in order and only if their operation succeeds (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { workspace, keys } = await createTestWorkspace(storage)
    const read = async (after: number) => {
      const { data } = (
        await server.inject({
          url: `/api/v1/events?after_sequence=${after}&limit=200`,
          headers: { authorization: `Bearer ${keys.owner}` },
        })
      ).json<{ data: { sequence: number; data: { name: string } }[] }>()
      return data
    }
    const start = (await read(0)).at(-1)?.sequence ?? 0
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
      emitTag(tx, 'first')
      const failing = tx.runOperation(async () => {
        await emitLarge(tx, 'undone')
        emitTag(tx, 'undone')
        throw new Error('refused')
      })
      await assert.rejects(failing, /refused/)
      emitTag(tx, 'second')
      await tx.runOperation(async () => {
        await emitLarge(tx, 'large')
        emitTag(tx, 'third')
      })
      emitTag(tx, 'last')
    })
    const events: [sequence: number, name: string][] = []
    for (let page = await read(start); page.length > 0; page = await read(start + events.length))
      for (const { sequence, data } of page) events.push([sequence, data.name])
    const names = ['first', 'second', ...Array.from({ length: 9 }, (_, at) => `large${at}`)]
    names.push('third', 'last')
    assert.deepEqual(
      events,
      names.map((name, at) => [start + 1 + at, name]),
    )
  })
}
