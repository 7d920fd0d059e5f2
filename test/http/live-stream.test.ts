import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { HintNote } from '#core/commit-listeners.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { removeMember } from '#resources/members/membership.ts'
import { addMemberToProject, removeFromPeopleList } from '#resources/projects/people.ts'
import { changeProject } from '#resources/projects/write-operations.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { startLiveDocket } from '../support/server/live-docket.ts'
import type { LiveConnection } from '../support/server/live-stream.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'

const writeAsOwner = <T>(
  storage: Storage,
  { workspace }: TestWorkspace,
  work: (tx: WriteTx) => Promise<T>,
): Promise<T> =>
  storage.write({ ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: workspace } as Actor, work)

const noteChanges = (
  { storage, team }: { storage: Storage; team: TestWorkspace },
  ...notes: HintNote[]
) =>
  writeAsOwner(storage, team, async (tx) => {
    for (const note of notes) tx.noteChange(note)
  })

const hintsOf = ({ events }: LiveConnection) =>
  events.flatMap(({ event, data }) => (event === 'stale' ? data : []))
const hintedIds = (live: LiveConnection) => hintsOf(live).map(({ id }) => id)
const changedIds = ({ events }: LiveConnection) =>
  events.flatMap(({ event, data }) => (event === 'change' ? data.id : []))

for (const engine of ENGINES) {
  test(`a page gets hints about what the feed lacks, and only what it may learn of (${engine})`, async () => {
    const docket = await startLiveDocket(engine)
    const { live, post, team, newTask } = docket
    const { project, hidden, people } = team
    const [owner, admin, member, guest] = [
      await live('owner'),
      await live('admin'),
      await live('member'),
      await live('guest'),
    ]
    const { headers } = owner.reply
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-accel-buffering'], 'no')

    const { id: task } = await post('/tasks', newTask('A'))
    await noteChanges(
      docket,
      { noun: 'template', id: 'open', project_id: project },
      { noun: 'template', id: 'hidden', project_id: hidden },
      { noun: 'view', id: 'private', project_id: project, only_for: people.member },
      { noun: 'application', id: 'managed', only_for: '' },
      { noun: 'notification', id: 'personal', only_for: people.member },
    )
    await noteChanges(docket, { noun: 'workspace', id: 'last' })
    for (const one of [owner, admin, member, guest]) {
      await one.waitForRecord('last')
      await one.waitForRecord(task)
    }
    assert.deepEqual(hintedIds(owner), ['open', 'hidden', 'private', 'managed', 'last'])
    assert.deepEqual(hintedIds(admin), hintedIds(owner))
    assert.deepEqual(hintedIds(member), ['open', 'private', 'personal', 'last'])
    assert.deepEqual(hintedIds(guest), ['open', 'last'])
    const [first] = hintsOf(guest)
    assert.match(first?.operation_id ?? '', /^opr_/)
    assert.deepEqual(first, {
      noun: 'template',
      id: 'open',
      project_id: project,
      operation_id: first?.operation_id,
    })
    // A hint has no id, so a client that connects again goes on after the last change.
    assert.ok(owner.events.every(({ event, id }) => (event === 'stale') === (id === undefined)))
  })

  test(`a page learns of a project that its person is added to or removed from (${engine})`, async () => {
    const docket = await startLiveDocket(engine)
    const { live, storage, team } = docket
    const { hidden: project_id, people, project } = team
    const [member, guest] = [await live('member'), await live('guest')]
    await writeAsOwner(storage, team, async (tx) => {
      await addMemberToProject(tx, { project_id, user_id: people.member }, 'user')
      await bumpAuthVersion(tx)
    })
    await waitUntil(member.text, () => changedIds(member).includes(project_id))
    await waitUntil(member.text, () => hintedIds(member).includes(people.member))
    await noteChanges(docket, { noun: 'template', id: 'seen', project_id })
    await member.waitForRecord('seen')
    assert.deepEqual(hintedIds(guest), [])

    const before = member.events.length
    await writeAsOwner(storage, team, (tx) =>
      removeFromPeopleList(tx, { project_id, user_id: people.member }),
    )
    await waitUntil(member.text, () =>
      member.events.slice(before).some(({ data }) => data.op === 'reset' && data.id === project_id),
    )
    await writeAsOwner(storage, team, (tx) => changeProject(tx, project, { visibility: 'private' }))
    await noteChanges(
      docket,
      { noun: 'template', id: 'unseen', project_id },
      { noun: 'template', id: 'hidden now', project_id: project },
      { noun: 'workspace', id: 'last' },
    )
    await member.waitForRecord('last')
    assert.deepEqual(hintedIds(member), [people.member, 'seen', 'last'])
    await guest.waitForRecord('hidden now')
  })

  test(`the stream of a page ends within a second for a removed member (${engine})`, async () => {
    const { live, storage, team } = await startLiveDocket(engine)
    const [guest, member] = [await live('guest'), await live('member')]
    await writeAsOwner(storage, team, async (tx) => {
      await removeMember(tx, team.people.guest)
      await bumpAuthVersion(tx)
    })
    assert.ok(await guest.endsWithin())
    assert.equal(guest.events.at(-1)?.data.error?.code, 'authentication_required')
    assert.equal((await live('guest')).reply.statusCode, 401)
    await member.waitForRecord(team.people.guest)
  })
}

test('too many hints become one without a noun', async () => {
  const docket = await startLiveDocket('sqlite')
  const owner = await docket.live('owner')
  const notes = Array.from({ length: 1_001 }, (_, at) => ({
    noun: 'application' as const,
    id: `app_${at}`,
    only_for: '',
  }))
  await noteChanges(docket, ...notes)
  await waitUntil(owner.text, () => hintsOf(owner).length > 0)
  assert.deepEqual(hintsOf(owner), [{}])
})

test('a page gets a hint without a noun after a write of another process', async (t) => {
  const { live, team } = await startLiveDocket('sqlite')
  const { config } = await openTestDocket('sqlite')
  const owner = await live('owner')
  const beside = new DatabaseSync(`${config.dataDir}/docket.db`)
  t.after(() => beside.close())
  // A write directly after one of this process cannot be told apart from it.
  await waitUntil('a hint', () => {
    beside.exec(`update workspaces set name = 'Beside' where id = '${team.workspace}'`)
    return hintsOf(owner).length > 0
  })
  assert.deepEqual(hintsOf(owner)[0], {})
})

test('a person has at most ten live streams, and all end when the server stops', async () => {
  const { live, server, storage, team } = await startLiveDocket('sqlite')
  const lives = await Promise.all(Array.from({ length: 10 }, () => live('member')))
  const more = await live('member')
  assert.equal(more.reply.statusCode, 409)
  assert.match(more.text(), /limit_reached/)
  lives[0]?.close()
  await waitUntil('its place', async () => (await live('member')).reply.statusCode === 200)

  await server.close()
  assert.ok(await lives[1]?.endsWithin())
  assert.match(lives[1]?.text() ?? '', /retry: \d+\n\n$/)
  await waitUntil(
    'nobody listens',
    () => !storage.commitListeners.workspaceIds.includes(team.workspace),
  )
})
