import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { type Actor, ANONYMOUS_ACTOR, type Role } from '#core/actor.ts'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { removeMember } from '#resources/members/membership.ts'
import { changeProject } from '#resources/projects/change-project.ts'
import { addMemberToProject } from '#resources/projects/people.ts'
import { removeFromPeopleList } from '#resources/projects/people-store.ts'
import { createApp } from '../../src/server/app.ts'
import { ENGINES, openTestDocket, testLog } from '../support/engines/test-docket.ts'
import { type LiveConnection, openLiveStream } from '../support/server/live-stream.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

const openStreams: LiveConnection[] = []
const servers: { close: () => Promise<unknown> }[] = []
after(async () => {
  for (const live of openStreams) live.close()
  for (const server of servers) await server.close()
})

/** Starts a Docket that listens, with a workspace in it. */
async function startListening(
  engine: DatabaseEngine,
  wrap: (storage: Storage) => Storage = (storage) => storage,
) {
  const { storage, config } = await openTestDocket(engine)
  const { server } = await createApp(wrap(storage), config, TEST_SECRET, testLog, undefined, {
    sheds: false,
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  servers.push(server)
  const { port } = server.server.address() as { port: number }
  const home = await createTestWorkspace(storage)
  const headers: Partial<Record<Role, Record<string, string>>> = {}
  const live = async (role: Role, more: Parameters<typeof openLiveStream>[2] = {}) => {
    headers[role] ??= { ...(await createTestSession(storage, home, role)).headers }
    const one = await openLiveStream(port, headers[role], more)
    openStreams.push(one)
    return one
  }
  return { engine, storage, server, home, live, ...writeClient(port, home) }
}

const idsOf = ({ events }: LiveConnection) => events.map(({ id }) => id)

const writeClient = (port: number, { keys, project }: TestWorkspace) => ({
  async post(path: string, body: object = {}, method = 'POST') {
    const headers = { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${port}/api/v1${path}`
    const reply = await fetch(url, { method, headers, body: JSON.stringify(body) })
    assert.ok(reply.ok, `${method} ${path}: ${reply.status}`)
    const operation_id = reply.headers.get('x-operation-id')
    const record = reply.status === 204 ? {} : ((await reply.json()) as { id: string })
    return { id: '', ...record, operation_id }
  },
  newTask: (title: string) => ({ project_id: project, title }),
})

const writeAsOwner = <T>(
  storage: Storage,
  { workspace }: TestWorkspace,
  work: Parameters<Storage['write']>[1],
) =>
  storage.write(
    { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: workspace } as Actor,
    work,
  ) as Promise<T>

for (const engine of ENGINES) {
  test(`the live stream sends every write, and resumes by Last-Event-ID (${engine})`, async () => {
    const { live, post, newTask, home } = await startListening(engine)
    const [first, other] = [await live('member'), await live('guest')]
    assert.equal(first.reply.statusCode, 200)
    const { headers } = first.reply
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-accel-buffering'], 'no')
    assert.match(first.text(), /^retry: \d{4}\n/)

    const task = await post('/tasks', newTask('A'))
    const comment = await post(`/tasks/${task.id}/comments`, { body: 'Well' })
    await post(`/tasks/${task.id}/time-entries`, { duration_seconds: 60 })
    await first.waitForEvents(3)
    const seq = first.events[0]?.notice.seq ?? 0
    assert.ok(seq >= 1)
    assert.deepEqual(first.events[0]?.notice, {
      ...{ seq, noun: 'task', id: task.id, op: 'create', number: 1, project_id: home.project },
      ...{ version: 1, operation_id: task.operation_id, actor_id: home.people.owner },
    })
    const nouns = (heard: LiveConnection['events']) =>
      heard.map(({ notice: { noun, op } }) => `${noun} ${op}`)
    assert.deepEqual(nouns(first.events), ['task create', 'comment create', 'time_entry create'])
    assert.equal(first.events[1]?.notice.task_id, task.id)
    await other.waitForEvents(3)
    assert.deepEqual(idsOf(other), idsOf(first))

    const last = first.lastId()
    first.close()
    await post(`/comments/${comment.id}`, {}, 'DELETE')
    await post(`/tasks/${task.id}`, { title: 'B' }, 'PATCH')
    const again = await live('member', { after: last })
    await again.waitForEvents(2)
    assert.deepEqual(nouns(again.events), ['comment delete', 'task update'])
    assert.deepEqual(
      again.events.map(({ notice }) => notice.seq),
      [seq + 3, seq + 4],
    )
    const resetStream = await live('member', { after: `AAAAAAAA.${seq + 2}` })
    assert.equal((await resetStream.waitForEvents(1))[0]?.event, 'reset')
    assert.equal(resetStream.lastId(), again.lastId())
    await post('/tasks', newTask('C'))
    assert.equal((await resetStream.waitForEvents(2))[1]?.notice.seq, seq + 5)
  })

  test(`the live stream hides projects that the person cannot see (${engine})`, async () => {
    const { live, post, storage, home } = await startListening(engine)
    const [owner, member] = [await live('owner'), await live('member')]
    const { hidden, people } = home
    const secret = await post('/tasks', { project_id: hidden, title: 'Secret' })
    const open = await post('/tasks', { project_id: home.project, title: 'Open' })
    await owner.waitForEvents(2)
    await member.waitForEvents(1)
    assert.deepEqual(
      member.events.map(({ notice }) => notice.id),
      [open.id],
    )
    // Moving a task to a hidden project looks like a deletion to those who cannot see that one.
    await post(`/tasks/${open.id}`, { project_id: hidden }, 'PATCH')
    await member.waitForEvents(2)
    const { noun, op, project_id } = member.events[1]?.notice ?? {}
    assert.deepEqual([noun, op, project_id], ['task', 'delete', home.project])

    const away = await live('member')
    away.close()
    await writeAsOwner(storage, home, async (tx) => {
      await addMemberToProject(tx, { project_id: hidden, user_id: people.member }, 'user')
      await bumpAuthVersion(tx)
    })
    await member.waitForEvents(4)
    assert.equal(member.events[2]?.event, 'reset')
    assert.equal(member.events[3]?.notice.noun, 'person')
    // A client that was disconnected meanwhile gets a reset too, because it sees more now.
    const back = await live('member', { after: away.lastId() })
    assert.equal((await back.waitForEvents(1))[0]?.event, 'reset')
    await post(`/tasks/${secret.id}`, { title: 'Seen' }, 'PATCH')
    const change = (await member.waitForEvents(5)).at(-1)
    assert.equal(change?.notice.id, secret.id)

    // When the open project becomes private, the member gets only a reset.
    const guest = await live('guest')
    await writeAsOwner(storage, home, (tx) =>
      changeProject(tx, home.project, { visibility: 'private' }),
    )
    await post('/tasks', { project_id: home.project, title: 'Hidden now' })
    await guest.waitForEvents(2)
    await member.waitForEvents(6)
    // A change that the member sees, sent after all that they do not see.
    const last = await post('/tasks', { project_id: hidden, title: 'Last' })
    await member.waitForEvents(7)
    assert.equal(member.events[5]?.event, 'reset')
    assert.equal(member.events[6]?.notice.id, last.id)
    assert.doesNotMatch(member.text(), new RegExp(`${guest.events.at(-1)?.notice.id}`))
  })

  test(`a client that reloads learns of access that is lost right after (${engine})`, async () => {
    const { live, storage, home } = await startListening(engine)
    const [user_id, project_id] = [home.people.member, home.hidden]
    const away = await live('member')
    away.close()
    await writeAsOwner(storage, home, async (tx) => {
      await addMemberToProject(tx, { project_id, user_id }, 'user')
      await bumpAuthVersion(tx)
    })
    const back = await live('member', { after: away.lastId() })
    assert.equal((await back.waitForEvents(1))[0]?.event, 'reset')
    await writeAsOwner(storage, home, (tx) => removeFromPeopleList(tx, { project_id, user_id }))
    assert.equal((await back.waitForEvents(2))[1]?.event, 'reset')
  })

  test(`the live stream ends for a removed member (${engine})`, async () => {
    const { live, storage, home } = await startListening(engine)
    const [guest, member] = [await live('guest'), await live('member')]
    await writeAsOwner(storage, home, async (tx) => {
      await removeMember(tx, home.people.guest)
      await bumpAuthVersion(tx)
    })
    assert.ok(await guest.endsWithin())
    assert.equal((await live('guest')).reply.statusCode, 401)
    await member.waitForEvents(1)
    assert.equal(member.events[0]?.notice.noun, 'member')
  })

  test(`a person has at most ten live streams, and all end when the server stops (${engine})`, async () => {
    const { live, server, home, storage } = await startListening(engine)
    const lives = await Promise.all(Array.from({ length: 10 }, () => live('member')))
    const more = await live('member')
    assert.equal(more.reply.statusCode, 429)
    assert.match(more.text(), /too_many_session_requests/)
    assert.match(String(more.reply.headers['retry-after']), /^\d+$/)
    lives[0]?.close()
    await waitUntil('its place', async () => (await live('member')).reply.statusCode === 200)

    await server.close()
    assert.ok(await lives[1]?.endsWithin())
    assert.match(lives[1]?.text() ?? '', /retry: \d+\n\n$/)
    assert.equal(
      storage.changeFeed.subscribe(home.workspace, undefined, IGNORE_CHANGES).missed?.length,
      0,
    )
  })

  test(`streams that open at the same moment count towards the limit (${engine})`, async (t) => {
    const reading = Promise.withResolvers<void>()
    t.after(() => reading.resolve())
    let held = 0
    /** Holds the reads of signed-in people, and so each stream between its checks and its start. */
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      async read(actor, work) {
        const value = await storage.read(actor, work)
        if (actor.user_id === null) return value
        held += 1
        await reading.promise
        return value
      },
    })
    const { storage, home, server, live } = await startListening(engine, wrap)
    const { headers } = await createTestSession(storage, home, 'member')
    const { port } = server.server.address() as { port: number }
    let answered = 0
    const opening = Array.from({ length: 12 }, async () => {
      const one = await openLiveStream(port, headers)
      openStreams.push(one)
      answered += 1
      return one
    })
    await waitUntil('all to be held or answered', () => held + answered === 12)
    assert.deepEqual([held, answered], [10, 2])
    reading.resolve()
    const opened = await Promise.all(opening)
    const refused = opened.filter(({ reply }) => reply.statusCode !== 200)
    assert.equal(refused.length, 2)
    for (const { reply, text } of refused) {
      assert.equal(reply.statusCode, 429)
      assert.equal(JSON.parse(text()).error.code, 'too_many_session_requests')
      assert.equal(reply.headers['retry-after'], '5')
    }
    // A refused stream holds no place, and neither does one whose client has gone.
    for (const one of opened) one.close()
    await waitUntil('ten places', async () => {
      const again = await Promise.all(Array.from({ length: 10 }, () => live('member')))
      for (const one of again) one.close()
      return again.every(({ reply }) => reply.statusCode === 200)
    })
  })
}

const IGNORE_CHANGES = { onChanges() {}, onReset() {} }

test('disconnects a live stream whose reader stalls, and no other', async () => {
  const { live, storage, home, server } = await startListening('sqlite')
  const [slow, quick] = [await live('owner', { reads: false }), await live('owner')]
  const sockets = await connections(server.server)
  const changes = Array.from({ length: 500 }, (_, at) => ({
    ...({ noun: 'task', id: `tsk_${at}`, op: 'update', project_id: home.project } as const),
    operation_id: 'opr_01k2m3n4p5q6r7s8t9v0w1x2y3',
  }))
  // Socket buffers hold some megabytes before the server has to queue anything.
  for (let turn = 0; turn < 200; turn += 1) {
    storage.changeFeed.publish(home.workspace, changes, null)
    await pause(2)
  }
  await quick.waitForEvents(100_000)
  const metricsText = await metrics(server)
  assert.match(metricsText, /docket_live_cut_total 1\n/)
  assert.match(metricsText, /docket_live_streams 1\n/)
  assert.equal(await connections(server.server), sockets - 1)
  slow.close()
})

const connections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

const metrics = async (server: Awaited<ReturnType<typeof startListening>>['server']) =>
  (await server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).body

test('a write of another process sends a reset to the live stream', async (t) => {
  const { live, home } = await startListening('sqlite')
  const { config } = await openTestDocket('sqlite')
  const owner = await live('owner')
  const beside = new DatabaseSync(`${config.dataDir}/docket.db`)
  t.after(() => beside.close())
  // A write directly after one of this process cannot be told apart from it.
  await waitUntil('a reset', () => {
    beside.exec(`update workspaces set name = 'Beside' where id = '${home.workspace}'`)
    return owner.events.length > 0
  })
  assert.equal(owner.events[0]?.event, 'reset')
})
