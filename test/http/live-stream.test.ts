import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { removeMember } from '#resources/members/membership.ts'
import { addMemberToProject, removeFromPeopleList } from '#resources/projects/people.ts'
import { changeProject } from '#resources/projects/write-operations.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { startLiveDocket } from '../support/server/live-docket.ts'
import type { LiveConnection } from '../support/server/live-stream.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'

const idsOf = ({ events }: LiveConnection) => events.map(({ id }) => id)

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
    const { live, post, newTask, team } = await startLiveDocket(engine)
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
      seq,
      noun: 'task',
      id: task.id,
      op: 'create',
      number: 1,
      project_id: team.project,
      version: 1,
      operation_id: task.operation_id,
      actor_id: team.people.owner,
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
    const { live, post, storage, team } = await startLiveDocket(engine)
    const [owner, member] = [await live('owner'), await live('member')]
    const { hidden, people } = team
    const secret = await post('/tasks', { project_id: hidden, title: 'Secret' })
    const open = await post('/tasks', { project_id: team.project, title: 'Open' })
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
    assert.deepEqual([noun, op, project_id], ['task', 'delete', team.project])

    const away = await live('member')
    away.close()
    await writeAsOwner(storage, team, async (tx) => {
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
    await writeAsOwner(storage, team, (tx) =>
      changeProject(tx, team.project, { visibility: 'private' }),
    )
    await post('/tasks', { project_id: team.project, title: 'Hidden now' })
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
    const { live, storage, team } = await startLiveDocket(engine)
    const [user_id, project_id] = [team.people.member, team.hidden]
    const away = await live('member')
    away.close()
    await writeAsOwner(storage, team, async (tx) => {
      await addMemberToProject(tx, { project_id, user_id }, 'user')
      await bumpAuthVersion(tx)
    })
    const back = await live('member', { after: away.lastId() })
    assert.equal((await back.waitForEvents(1))[0]?.event, 'reset')
    await writeAsOwner(storage, team, (tx) => removeFromPeopleList(tx, { project_id, user_id }))
    assert.equal((await back.waitForEvents(2))[1]?.event, 'reset')
  })

  test(`the live stream ends for a removed member (${engine})`, async () => {
    const { live, storage, team } = await startLiveDocket(engine)
    const [guest, member] = [await live('guest'), await live('member')]
    await writeAsOwner(storage, team, async (tx) => {
      await removeMember(tx, team.people.guest)
      await bumpAuthVersion(tx)
    })
    assert.ok(await guest.endsWithin())
    assert.equal((await live('guest')).reply.statusCode, 401)
    await member.waitForEvents(1)
    assert.equal(member.events[0]?.notice.noun, 'member')
  })
}

test('a write of another process sends a reset to the live stream', async (t) => {
  const { live, team } = await startLiveDocket('sqlite')
  const { config } = await openTestDocket('sqlite')
  const owner = await live('owner')
  const beside = new DatabaseSync(`${config.dataDir}/docket.db`)
  t.after(() => beside.close())
  // A write directly after one of this process cannot be told apart from it.
  await waitUntil('a reset', () => {
    beside.exec(`update workspaces set name = 'Beside' where id = '${team.workspace}'`)
    return owner.events.length > 0
  })
  assert.equal(owner.events[0]?.event, 'reset')
})
