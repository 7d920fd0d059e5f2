import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import { toJson } from '#lib/json.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { assertMatchesContract, readEvents, scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import type { EventKind } from '#wire/event-kinds.ts'

const EVENTS = '/api/v1/events'
const POSITION = '/api/v1/events/position'

interface LoggedEvent {
  sequence: number
  type: EventKind
}

/** Sets the number of the newest event, as the restore of an earlier state does. */
const setNewest = command((db, $: Scoped<{ sequence: number }>) =>
  db.updateTable('workspaces').set({ last_sequence: $.sequence }),
)

/** Removes events from the log; their rows may remain for deliveries. */
const forgetBefore = command((db, $: Scoped<{ sequence: number }>) =>
  db.updateTable('workspaces').set({ log_from_sequence: $.sequence }),
)

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server, team, send } = await openTestClient(engine)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    return {
      team,
      kept: () => readEvents(storage, team.workspace),
      /** Emits events of these kinds, each in its own transaction. */
      async happen(...kinds: [EventKind, string | null][]) {
        for (const [kind, project_id] of kinds) {
          await storage.write(actor, async (tx) => {
            tx.emit(kind, toJson({ id: 'some' }), { subject_id: 'some', project_id })
          })
        }
      },
      move: (former_project_id: string, project_id: string) =>
        storage.write(actor, async (tx) => {
          const about = { subject_id: 'some', project_id, former_project_id }
          tx.emit('task.updated', toJson({ id: 'some' }), about)
        }),
      forget: (upTo: number) =>
        storage.write(actor, (tx) => tx.run(forgetBefore, { sequence: upTo + 1 })),
      rewind: (sequence: number) => storage.write(actor, (tx) => tx.run(setNewest, { sequence })),
      async position() {
        const body = await send(`GET ${POSITION}`)
        assertMatchesContract('GET', POSITION, body)
        return body
      },
      async get(query: string) {
        const reply = await server.inject({ url: EVENTS + query, headers })
        const body = reply.json()
        if (reply.statusCode === 200) assertMatchesContract('GET', EVENTS, body)
        const data: LoggedEvent[] = body.data ?? []
        const sequences = data.map(({ sequence }) => sequence)
        return { status: reply.statusCode, text: reply.body, body, sequences }
      },
    }
  }

  test(`reads events in order, page by page, as they were sent (${engine})`, async () => {
    const { happen, get, kept } = await setUp()
    const empty = { data: [], next_cursor: null, has_more: false, newest_sequence: 0 }
    assert.deepEqual((await get('')).body, empty)
    const many: [EventKind, null][] = Array.from({ length: 12 }, () => ['member.added', null])
    await happen(...many)
    const first = await get('?limit=5')
    assert.deepEqual(first.sequences, [1, 2, 3, 4, 5])
    const second = await get(`?limit=5&cursor=${first.body.next_cursor}`)
    assert.deepEqual(second.sequences, [6, 7, 8, 9, 10])
    const last = await get(`?limit=5&cursor=${second.body.next_cursor}`)
    assert.deepEqual([last.sequences, last.body.has_more], [[11, 12], false])
    const envelopes = (await kept()).map(({ payload }) => payload).join(',')
    const whole = `{"data":[${envelopes}],"next_cursor":null,"has_more":false,"newest_sequence":12}`
    assert.equal((await get('')).text, whole, 'the very bytes')
  })

  test(`after_sequence continues after the last event seen (${engine})`, async () => {
    const { happen, get } = await setUp()
    await happen(['member.added', null], ['member.removed', null], ['member.added', null])
    assert.deepEqual((await get('?after_sequence=0')).sequences, [1, 2, 3])
    const next = await get('?after_sequence=1&limit=1')
    assert.deepEqual([next.sequences, next.body.has_more], [[2], true])
    const more = await get(`?after_sequence=1&limit=1&cursor=${next.body.next_cursor}`)
    assert.deepEqual([more.sequences, more.body.has_more], [[3], false])
    assert.deepEqual((await get('?after_sequence=3')).sequences, [])
    assert.equal((await get(`?after_sequence=0&cursor=${next.body.next_cursor}`)).status, 400)
  })

  test(`lets a reader of rare events go on from the newest sequence (${engine})`, async () => {
    const { happen, get, forget, team } = await setUp()
    await happen(['tag.created', team.project], ['member.added', null], ['member.added', null])
    const first = await get('?type=tag.created&after_sequence=0')
    assert.deepEqual([first.sequences, first.body.newest_sequence], [[1], 3])
    await happen(['member.removed', null], ['member.removed', null])
    const nothing = await get('?type=tag.created&after_sequence=3')
    assert.deepEqual([nothing.sequences, nothing.body.newest_sequence], [[], 5])
    await forget(5)
    assert.equal((await get('?type=tag.created&after_sequence=1')).status, 410)
    const idle = await get('?type=tag.created&after_sequence=5')
    assert.deepEqual([idle.status, idle.body.newest_sequence], [200, 5])
    await happen(['member.added', null], ['tag.created', team.project])
    const next = await get('?type=tag.created&after_sequence=5')
    assert.deepEqual([next.sequences, next.body.newest_sequence], [[7], 7])
  })

  test(`reads events of several types and a project in their order (${engine})`, async () => {
    const { happen, move, get, team } = await setUp()
    const { project, hidden } = team
    await happen(['tag.created', project], ['tag.created', hidden], ['project.updated', project])
    await move(hidden, project)
    await happen(['task.created', project], ['tag.created', project], ['task.updated', hidden])
    assert.deepEqual((await get('?type=project.updated,tag.created')).sequences, [1, 2, 3, 6])
    assert.deepEqual((await get(`?project_id=${project}&after_sequence=6`)).sequences, [])
    assert.deepEqual((await get('?type=member.added')).sequences, [])
    const query = `?project_id=${project}&type=task.updated,tag.created,project.updated`
    assert.deepEqual((await get(query)).sequences, [1, 3, 4, 6])
    const sequences: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await get(`${query}&limit=1${cursor && `&cursor=${cursor}`}`)
      sequences.push(...page.sequences)
      cursor = page.body.next_cursor
    }
    assert.deepEqual(sequences, [1, 3, 4, 6])
  })

  test(`lists a moved task under both projects (${engine})`, async () => {
    const { happen, move, get, team } = await setUp()
    const { project, hidden } = team
    await happen(['task.created', project])
    await move(project, hidden)
    await happen(['task.deleted', hidden], ['project.updated', project])
    assert.deepEqual((await get(`?project_id=${project}`)).sequences, [1, 2, 4])
    assert.deepEqual((await get(`?project_id=${hidden}`)).sequences, [2, 3])
    const moves = await get(`?project_id=${project}&type=task.updated,task.deleted`)
    assert.deepEqual(moves.sequences, [2])
    const page = await get(`?project_id=${project}&limit=2`)
    assert.deepEqual([page.sequences, page.body.has_more], [[1, 2], true])
    const rest = await get(`?project_id=${project}&limit=2&cursor=${page.body.next_cursor}`)
    assert.deepEqual([rest.sequences, rest.body.has_more], [[4], false])
  })

  test(`answers 410 events_expired for expired events (${engine})`, async () => {
    const { happen, get, forget } = await setUp()
    await happen(['member.added', null], ['member.removed', null], ['member.added', null])
    const first = await get('?after_sequence=0&limit=1')
    await forget(2)
    const late = await get('?after_sequence=1')
    assert.deepEqual([late.status, late.body.error.type], [410, 'gone'])
    assert.equal(late.body.error.code, 'events_expired')
    assert.match(late.body.error.details[0].message, /\b3\b/)
    assert.deepEqual((await get('?after_sequence=2')).sequences, [3])
    assert.deepEqual((await get('')).sequences, [3], 'from the oldest kept')
    const gap = await get(`?after_sequence=0&limit=1&cursor=${first.body.next_cursor}`)
    assert.equal(gap.status, 410, 'a follower never misses any without knowing')
    await forget(3)
    assert.equal((await get('?after_sequence=2')).status, 410)
    assert.deepEqual((await get('?after_sequence=3')).sequences, [])
    assert.deepEqual((await get('')).sequences, [])
  })

  test(`rejects to follow the log from beyond its newest event (${engine})`, async () => {
    const { happen, get, rewind } = await setUp()
    const empty = await get('?after_sequence=1')
    assert.equal(empty.status, 400)
    assert.match(empty.body.error.message, /the event log, which has no events yet/)
    assert.deepEqual((await get('?after_sequence=0')).sequences, [])
    await happen(['member.added', null], ['member.removed', null], ['member.added', null])
    const beyond = await get('?after_sequence=4')
    assert.deepEqual([beyond.status, beyond.body.error.code], [400, 'invalid_parameter'])
    const [detail] = beyond.body.error.details
    assert.equal(detail.field, 'after_sequence')
    assert.match(detail.message, /must be at most 3, the sequence of the newest event/)
    const first = await get('?limit=2')
    await rewind(1)
    const restored = await get(`?limit=2&cursor=${first.body.next_cursor}`)
    assert.deepEqual([restored.status, restored.body.error.code], [400, 'invalid_cursor'])
    assert.match(restored.body.error.message, /must be at most 1,/)
  })

  test(`tells the oldest and the newest sequence of the log (${engine})`, async () => {
    const { happen, forget, position } = await setUp()
    assert.deepEqual(await position(), { oldest_sequence: null, newest_sequence: 0 })
    await happen(['member.added', null], ['member.removed', null], ['member.added', null])
    assert.deepEqual(await position(), { oldest_sequence: 1, newest_sequence: 3 })
    await forget(2)
    assert.deepEqual(await position(), { oldest_sequence: 3, newest_sequence: 3 })
    await forget(3)
    assert.deepEqual(await position(), { oldest_sequence: null, newest_sequence: 3 })
    await happen(['member.added', null])
    assert.deepEqual(await position(), { oldest_sequence: 4, newest_sequence: 4 })
  })

  test(`hides the event log of other workspaces (${engine})`, async () => {
    const [ours, theirs] = [await setUp(), await setUp()]
    await theirs.happen(['member.added', null])
    assert.deepEqual((await ours.get('')).sequences, [])
    assert.deepEqual((await ours.get(`?project_id=${theirs.team.project}`)).sequences, [])
    assert.deepEqual((await theirs.get('')).sequences, [1])
  })
}

for (const path of [EVENTS, POSITION]) {
  scenario(`only owners and admins read ${path}`, [
    { send: `GET ${path}`, as: 'admin', status: 200 },
    rejectedStep(`GET ${path}`, 403, 'insufficient_role', { as: 'member' }),
    { send: `GET ${path}`, as: 'guest', status: 403 },
    { send: `GET ${path}`, as: ['events:read'], status: 200 },
    rejectedStep(`GET ${path}`, 403, 'insufficient_scope', { as: ['webhooks:read'] }),
    { send: `GET ${path}`, as: 'nobody', status: 401 },
  ])
}

scenario('rejects invalid filters of the event log', [
  rejectedStep(`GET ${EVENTS}?sort=sequence`, 400, 'invalid_parameter'),
  { send: `GET ${EVENTS}?after_sequence=-1`, status: 400 },
  { send: `GET ${EVENTS}?after_sequence=01`, status: 400 },
  { send: `GET ${EVENTS}?type=task.exploded`, status: 400 },
  { send: `GET ${EVENTS}?type=task.created,task.created`, status: 400 },
  { send: `GET ${EVENTS}?project_id=tsk_01k2m3n4p5q6r7s8t9v0w1x2y3`, status: 400 },
  { send: `GET ${EVENTS}?limit=0`, status: 400 },
  { send: `GET ${POSITION}?limit=1`, status: 400 },
  { send: `GET ${EVENTS}?cursor=eyJ.x`, status: 400, reply: { error: { code: 'invalid_cursor' } } },
])
