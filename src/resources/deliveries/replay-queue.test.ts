import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import { continueReplay } from '#db/deliveries/replays.ts'
import type { EventRow } from '#db/schema/tables.ts'
import { toJson } from '#lib/json.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import type { EventKind } from '#wire/event-kinds.ts'

const deliveriesOf = query((db, $: Scoped<{ webhook_id: string }>) =>
  db
    .selectFrom('deliveries')
    .select(['event_id', 'event_type', 'sequence', 'queue', 'lane', 'blocked', 'activation'])
    .where('webhook_id', '=', $.webhook_id)
    .orderBy('id'),
)
const replays = query((db) => db.selectFrom('replays').selectAll())

type PastEvent = Scoped<
  Pick<EventRow, 'sequence' | 'id' | 'subject_id' | 'project_id' | 'created_at'>
>
const insertEvent = command((db, $: PastEvent) =>
  db.insertInto('events').values({
    ...pickSlots($, 'workspace_id', 'sequence', 'id', 'project_id', 'subject_id', 'created_at'),
    type: 'task.updated',
    payload: '{}',
  }),
)
const noteLast = command((db, $: Scoped<{ last_sequence: number }>) =>
  db.updateTable('workspaces').set(pickSlots($, 'last_sequence')),
)
for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, team, request } = await openTestClient(engine)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const send = (line: string, payload: object) =>
      request(line.replace(' ', ' /api/v1/webhooks'), payload)
    return {
      team,
      send,
      /** Creates a webhook and returns its id. */
      async hook(wanted: object): Promise<string> {
        const { body } = await send('POST ', { url: 'https://example.com', ...wanted })
        return body.id
      },
      happen: (kind: EventKind, subject_id: string, project: string | null, former?: string) =>
        storage.write(actor, async (tx) => {
          const about = { subject_id, project_id: project }
          const moved = former === undefined ? about : { ...about, former_project_id: former }
          tx.emit(kind, toJson({}), moved)
        }),
      queued: (webhook_id: string) =>
        storage.read(actor, (tx) => tx.all(deliveriesOf, { webhook_id })),
      left: () => storage.read(actor, (tx) => tx.all(replays, {})),
      /** Runs the replay step of the dispatcher. */
      goOn: () =>
        storage.write(actor, async (tx) => {
          const [replay] = await tx.all(replays, {})
          assert.ok(replay)
          return continueReplay(tx, replay)
        }),
      seed: (count: number) =>
        storage.write(actor, async (tx) => {
          const event = { project_id: team.project, created_at: tx.now }
          const rows = Array.from({ length: count }, (_, at) => {
            const sequence = at + 1
            return {
              ...event,
              sequence,
              id: `evt_${sequence}`,
              subject_id: `tsk_${sequence % 100}`,
            }
          })
          // All at once, the last ones would wait for their turn longer than a query may take.
          for (let from = 0; from < count; from += 1_000)
            await tx.runEach(insertEvent, rows.slice(from, from + 1_000))
          await tx.run(noteLast, { last_sequence: count })
        }),
    }
  }

  test(`a replay queues the subscribed events in order (${engine})`, async () => {
    const { team, hook, happen, queued, send, left } = await setUp()
    const { project, hidden } = team
    await happen('task.created', 'tsk_1', project)
    await happen('task.updated', 'tsk_1', hidden, project)
    await happen('member.added', 'usr_1', null)
    await happen('task.updated', 'tsk_1', hidden)
    await happen('task.created', 'tsk_2', hidden)
    await happen('task.updated', 'tsk_2', project, hidden)
    for (const [wanted, sequences] of [
      [{ events: ['*'] }, [1, 2, 3, 4, 5, 6]],
      [{ events: ['task.created', 'member.added'] }, [1, 3, 5]],
      [{ events: ['task.deleted'] }, []],
      [{ events: ['*'], project_ids: [project] }, [1, 2, 6]],
      [{ events: ['*'], project_ids: [hidden] }, [2, 4, 5, 6]],
      [{ events: ['*'], project_ids: [hidden, project] }, [1, 2, 4, 5, 6]],
      [{ events: ['task.updated'], project_ids: [project] }, [2, 6]],
      [{ events: ['member.added'], project_ids: [project] }, []],
    ] as const) {
      const id = await hook(wanted)
      const { status, body } = await send(`POST /${id}/replay`, { from_sequence: 1 })
      const told = JSON.stringify(wanted)
      assert.deepEqual([status, body.queued], [202, sequences.length], told)
      const found = await queued(id)
      assert.deepEqual(
        found.map(({ sequence }) => sequence),
        sequences,
        told,
      )
      assert.ok(found.every(({ queue, activation }) => queue === 2 && activation === 0))
    }
    assert.deepEqual(await left(), [])
  })

  test(`a replay keeps the order per subject and does not wait for other deliveries (${engine})`, async () => {
    const { team, hook, happen, queued, send } = await setUp()
    for (const subject of ['tsk_1', 'tsk_2', 'tsk_1']) {
      await happen('task.updated', subject, team.project)
    }
    const id = await hook({ events: ['*'] })
    await send(`POST /${id}/replay`, { from_sequence: 1 })
    await send(`POST /${id}/replay`, { from_sequence: 1 })
    const found = await queued(id)
    assert.deepEqual(
      found.map(({ blocked }) => blocked),
      [0, 0, 1, 0, 0, 1],
    )
    const lanes = found.map(({ lane }) => lane)
    const [one, other] = [lanes[0]?.split('.')[0], lanes[3]?.split('.')[0]]
    assert.notEqual(one, other)
    assert.deepEqual(
      lanes,
      [one, other].flatMap((of) => [`${of}.tsk_1`, `${of}.tsk_2`, `${of}.tsk_1`]),
    )
    assert.equal(new Set(found.map(({ event_id }) => event_id)).size, 3, 'ids of events stay')
  })

  test(`queues a large replay in batches, with at most 10,000 events (${engine})`, async () => {
    const { team, hook, seed, queued, send, left, goOn } = await setUp()
    await seed(10_001)
    const project_ids = [team.project]
    for (const wanted of [
      { events: ['*'] },
      { events: ['task.updated'] },
      { events: ['*'], project_ids },
      { events: ['task.updated'], project_ids },
    ]) {
      const id = await hook(wanted)
      const { status, body } = await send(`POST /${id}/replay`, { from_sequence: 1 })
      assert.deepEqual([status, body.error?.code], [409, 'limit_reached'], JSON.stringify(wanted))
      assert.deepEqual(await queued(id), [])
    }
    const id = await hook({ events: ['task.updated'], project_ids })
    const { body } = await send(`POST /${id}/replay`, { from_sequence: 2 })
    assert.deepEqual(body, { queued: 10_000, from_sequence: 2, to_sequence: 10_001 })
    assert.equal((await queued(id)).length, 500)
    assert.equal((await left())[0]?.next_sequence, 502)
    let steps = 1
    while (await goOn()) steps += 1
    assert.equal(steps, 19)
    const sequences = (await queued(id)).map(({ sequence }) => sequence)
    assert.deepEqual(
      sequences,
      Array.from({ length: 10_000 }, (_, at) => at + 2),
    )
    assert.deepEqual(await left(), [])
  })

  test(`a replay reads events in batches and ends when its webhook is deleted (${engine})`, async () => {
    const { team, hook, seed, queued, send, left, goOn, happen } = await setUp()
    await seed(4_500)
    await happen('task.deleted', 'tsk_1', team.project)
    const id = await hook({ events: ['task.deleted'] })
    const start = async () => (await send(`POST /${id}/replay`, { from_sequence: 1 })).body.queued
    assert.equal(await start(), 1)
    assert.deepEqual(await queued(id), [])
    assert.equal(await goOn(), true)
    assert.equal(await goOn(), false)
    assert.deepEqual((await queued(id)).length, 1)
    await start()
    await send(`PATCH /${id}`, { is_active: false })
    await send(`PATCH /${id}`, { is_active: true })
    assert.equal((await left()).length, 1)
    assert.equal(await goOn(), false)
    assert.deepEqual([(await left()).length, (await queued(id)).length], [0, 1])
  })
}
