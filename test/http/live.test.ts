import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Actor, NOBODY, type Role } from '#core/actor.ts'
import type { Engine, Storage } from '#core/tx.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { removeMember } from '#resources/members/membership.ts'
import { changeProject } from '#resources/projects/change.ts'
import { addToPeople } from '#resources/projects/people.ts'
import { app } from '../../src/app.ts'
import { until } from '../support/delivering.ts'
import { docketOn, ENGINES, log, SECRET } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { type Live, openLive } from '../support/live.ts'
import { sessionOf } from '../support/session.ts'

const opened: Live[] = []
const servers: { close: () => Promise<unknown> }[] = []
after(async () => {
  for (const live of opened) live.close()
  for (const server of servers) await server.close()
})

/** A Docket that listens, and a workspace in it. */
async function listening(engine: Engine) {
  const { storage, config } = await docketOn(engine)
  const { server } = await app(storage, config, SECRET, log)
  await server.listen({ host: '127.0.0.1', port: 0 })
  servers.push(server)
  const { port } = server.server.address() as { port: number }
  const home = await newHome(storage)
  const headers: Partial<Record<Role, Record<string, string>>> = {}
  const live = async (role: Role, more: Parameters<typeof openLive>[2] = {}) => {
    headers[role] ??= { ...(await sessionOf(storage, home, role)).headers }
    const one = await openLive(port, headers[role], more)
    opened.push(one)
    return one
  }
  return { engine, storage, server, home, live, ...writing(port, home) }
}

const idsOf = ({ heard }: Live) => heard.map(({ id }) => id)

const writing = (port: number, { keys, project }: Home) => ({
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

const acting = <T>(storage: Storage, { workspace }: Home, work: Parameters<Storage['write']>[1]) =>
  storage.write({ ...NOBODY, role: 'owner', workspace_id: workspace } as Actor, work) as Promise<T>

for (const engine of ENGINES) {
  test(`who looks on is told of each write, and misses nothing when cut off (${engine})`, async () => {
    const { live, post, newTask, home } = await listening(engine)
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
    await first.until(3)
    // Where the database numbers, the making of the home was counted.
    const seq = first.heard[0]?.notice.seq ?? 0
    assert.equal(seq > 1, engine === 'postgres')
    assert.deepEqual(first.heard[0]?.notice, {
      ...{ seq, noun: 'task', id: task.id, op: 'create', number: 1, project_id: home.project },
      ...{ version: 1, operation_id: task.operation_id, actor_id: home.people.owner },
    })
    const nouns = (heard: Live['heard']) => heard.map(({ notice: { noun, op } }) => `${noun} ${op}`)
    assert.deepEqual(nouns(first.heard), ['task create', 'comment create', 'time_entry create'])
    assert.equal(first.heard[1]?.notice.task_id, task.id)
    await other.until(3)
    assert.deepEqual(idsOf(other), idsOf(first))

    const last = first.lastId()
    first.close()
    await post(`/comments/${comment.id}`, {}, 'DELETE')
    await post(`/tasks/${task.id}`, { title: 'B' }, 'PATCH')
    const again = await live('member', { after: last })
    await again.until(2)
    assert.deepEqual(nouns(again.heard), ['comment delete', 'task update'])
    assert.deepEqual(
      again.heard.map(({ notice }) => notice.seq),
      [seq + 3, seq + 4],
    )
    const lost = await live('member', { after: `AAAAAAAA.${seq + 2}` })
    assert.equal((await lost.until(1))[0]?.event, 'reset')
    assert.equal(lost.lastId(), again.lastId())
    await post('/tasks', newTask('C'))
    assert.equal((await lost.until(2))[1]?.notice.seq, seq + 5)
  })

  test(`nobody hears of a project that the person does not see (${engine})`, async () => {
    const { live, post, storage, home } = await listening(engine)
    const [owner, member] = [await live('owner'), await live('member')]
    const { hidden, people } = home
    const secret = await post('/tasks', { project_id: hidden, title: 'Secret' })
    const open = await post('/tasks', { project_id: home.project, title: 'Open' })
    await owner.until(2)
    await member.until(1)
    assert.deepEqual(
      member.heard.map(({ notice }) => notice.id),
      [open.id],
    )
    // A task that is moved away is gone for those who do not see where to.
    await post(`/tasks/${open.id}`, { project_id: hidden }, 'PATCH')
    await member.until(2)
    const { noun, op, project_id } = member.heard[1]?.notice ?? {}
    assert.deepEqual([noun, op, project_id], ['task', 'delete', home.project])

    const away = await live('member')
    away.close()
    await acting(storage, home, async (tx) => {
      await addToPeople(tx, { project_id: hidden, user_id: people.member }, 'user')
      await advanceGeneration(tx)
    })
    await member.until(4)
    assert.equal(member.heard[2]?.event, 'reset')
    assert.equal(member.heard[3]?.notice.noun, 'person')
    // Who was away just then sees more than before, too.
    const back = await live('member', { after: away.lastId() })
    assert.equal((await back.until(1))[0]?.event, 'reset')
    await post(`/tasks/${secret.id}`, { title: 'Seen' }, 'PATCH')
    const seen = (await member.until(5)).at(-1)
    assert.equal(seen?.notice.id, secret.id)

    // The project that is open to all ceases to be: the member is told to read anew, and no more.
    const guest = await live('guest')
    await acting(storage, home, (tx) => changeProject(tx, home.project, { visibility: 'private' }))
    await post('/tasks', { project_id: home.project, title: 'Hidden now' })
    await guest.until(2)
    await member.until(6)
    // A notice that the member does see comes behind all that they do not.
    const last = await post('/tasks', { project_id: hidden, title: 'Last' })
    await member.until(7)
    assert.equal(member.heard[5]?.event, 'reset')
    assert.equal(member.heard[6]?.notice.id, last.id)
    assert.doesNotMatch(member.text(), new RegExp(`${guest.heard.at(-1)?.notice.id}`))
  })

  test(`it ends for who is no member any more (${engine})`, async () => {
    const { live, storage, home } = await listening(engine)
    const [guest, member] = [await live('guest'), await live('member')]
    await acting(storage, home, async (tx) => {
      await removeMember(tx, home.people.guest)
      await advanceGeneration(tx)
    })
    assert.ok(await guest.endsWithin())
    assert.equal((await live('guest')).reply.statusCode, 401)
    await member.until(1)
    assert.equal(member.heard[0]?.notice.noun, 'member')
  })

  test(`a person has ten of them at most, and all end when the server stops (${engine})`, async () => {
    const { live, server, home, storage } = await listening(engine)
    const lives = await Promise.all(Array.from({ length: 10 }, () => live('member')))
    const more = await live('member')
    assert.equal(more.reply.statusCode, 429)
    assert.match(more.text(), /too_many_session_requests/)
    assert.match(String(more.reply.headers['retry-after']), /^\d+$/)
    lives[0]?.close()
    await until('its place', async () => (await live('member')).reply.statusCode === 200)

    await server.close()
    assert.ok(await lives[1]?.endsWithin())
    assert.match(lives[1]?.text() ?? '', /retry: \d+\n\n$/)
    assert.equal(storage.notices.listen(home.workspace, undefined, DEAF).missed?.length, 0)
  })
}

const DEAF = { told() {}, reset() {} }

test('a reader that does not read is cut off, and others are not', async () => {
  const { live, storage, home, server } = await listening('sqlite')
  const [slow, quick] = [await live('owner', { reads: false }), await live('owner')]
  const sockets = await connections(server.server)
  const noted = Array.from({ length: 500 }, (_, at) => ({
    ...({ noun: 'task', id: `tsk_${at}`, op: 'update', project_id: home.project } as const),
    operation_id: 'opr_01k2m3n4p5q6r7s8t9v0w1x2y3',
  }))
  // The sockets of both ends take some megabytes before the server has to keep anything.
  for (let turn = 0; turn < 200; turn += 1) {
    storage.notices.publish(home.workspace, noted, null)
    await pause(2)
  }
  await quick.until(100_000)
  const figures = await metrics(server)
  assert.match(figures, /docket_live_cut_total 1\n/)
  assert.match(figures, /docket_live_streams 1\n/)
  assert.equal(await connections(server.server), sockets - 1)
  slow.close()
})

const connections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

const metrics = async (server: Awaited<ReturnType<typeof listening>>['server']) =>
  (await server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).body

test('what another process writes is told as something that may have been missed', async () => {
  const { live, home } = await listening('sqlite')
  const { config } = await docketOn('sqlite')
  const owner = await live('owner')
  const beside = new DatabaseSync(`${config.dataDir}/docket.db`)
  after(() => beside.close())
  // What comes right behind a write of this process is not told apart from it.
  await until('a reset', () => {
    beside.exec(`update workspaces set name = 'Beside' where id = '${home.workspace}'`)
    return owner.heard.length > 0
  })
  assert.equal(owner.heard[0]?.event, 'reset')
})
