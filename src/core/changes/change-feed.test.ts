import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ChangeFeed } from './change-feed.ts'
import { type PendingChange, toChanges } from './pending-change.ts'
import type { ChangeListener } from './replay-buffer.ts'

const WORKSPACE = 'wsp_1'

/** A listener that counts what it receives. */
function createListener() {
  const seen = { changes: 0, resets: [] as string[] }
  const listener: ChangeListener = {
    onChanges: ({ length }) => {
      seen.changes += length
    },
    onReset: (id) => seen.resets.push(id),
  }
  return { listener, seen }
}

test('delivers more changes of one operation than a call takes arguments', async () => {
  const feed = new ChangeFeed()
  const { listener, seen } = createListener()
  const { id: before } = feed.subscribe(WORKSPACE, undefined, listener)
  const noted = Array.from({ length: 200_000 }, (_, at): PendingChange => {
    const change = { noun: 'task', id: `tsk_${at}`, op: 'update', project_id: 'prj_1' } as const
    return { ...change, operation_id: 'opr_1' }
  })
  feed.publish(WORKSPACE, noted, null)
  await nextTurn()
  assert.equal(seen.changes, 200_000)
  const { missed } = feed.subscribe(WORKSPACE, before, listener)
  assert.equal(missed, undefined, 'only the newest are kept')
})

/** The changes of a bulk request: 3 operations for each thousand of them. */
const changesOfBulk = (count: number) =>
  Array.from({ length: count }, (_, at): PendingChange => {
    const operation_id = `opr_${Math.floor((at * 3) / 1_000)}`
    return { noun: 'task', id: `tsk_${at}`, op: 'update', operation_id }
  })

test('delivers the changes of many operations in several turns, in order', async () => {
  for (const isShared of [false, true]) {
    const feed = new ChangeFeed({ isShared })
    const turns: string[][] = []
    const onReset = () => assert.fail('a client need not reload')
    const { close } = feed.subscribe(WORKSPACE, undefined, {
      onChanges: (changes) => turns.push(changes.map(({ notice }) => notice.id)),
      onReset,
    })
    const noted = changesOfBulk(10_000)
    if (isShared) {
      feed.publishNumbered(WORKSPACE, { first: 1, made: toChanges(noted, null) })
    } else feed.publish(WORKSPACE, noted, null)
    await nextTurn()
    assert.equal(turns.length, 1)
    // What waits for its turn is not taken for lost.
    if (isShared) await feed.checkForGaps(async () => new Map([[WORKSPACE, 10_000]]), true)
    while (turns.flat().length < noted.length) await nextTurn()
    assert.deepEqual(
      turns.flat(),
      noted.map((change) => ('id' in change ? change.id : '')),
    )
    for (const { length } of turns) assert.ok(length < 2_000, `${length} changes in one turn`)
    close()
  }
})

test('does not wait for a lost change for ever where nobody watches', async () => {
  const feed = new ChangeFeed({ isShared: true })
  const notice = { noun: 'task', id: 'tsk_1', op: 'update', operation_id: 'opr_1' } as const
  const made = [{ notice: { ...notice, actor_id: null }, only_for: undefined }]
  feed.retain(WORKSPACE)
  for (let first = 1; first <= 2_000; first++) {
    if (first !== 2) feed.publishNumbered(WORKSPACE, { first, made })
    await nextTurn()
  }
  const { id, missed } = feed.subscribe(WORKSPACE, 'all.1', createListener().listener)
  assert.equal(id, 'all.2000')
  assert.equal(missed, undefined, 'a client that had the change before it must reload')
})
