import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NOBODY } from '#core/actor.ts'
import { createKey } from '#identity/new-key.ts'
import { command, type Scoped } from '#storage/statement.ts'
import { SCOPES } from '#wire/scopes.ts'
import { call } from '../experiments/world/call.ts'
import { audit } from '../support/audit.ts'
import { docketOn, ENGINES, type Served } from '../support/engines.ts'
import { freshDocket } from '../support/fresh.ts'
import { type Home, newHome } from '../support/home.ts'
import { contentOf, essenceOf, exported, imported } from './support.ts'
import { deeds, newWorld } from './world.ts'

const OTHER = { sqlite: 'postgres', postgres: 'sqlite' } as const

for (const engine of ENGINES) {
  test(`a workspace goes to the other engine and back, byte for byte (${engine})`, async () => {
    const from = await docketOn(engine)
    const home = await newWorld(from)
    const first = await exported(from, home.workspace)
    for (const { part, lines } of first.manifest.parts) assert.ok(lines > 0, `there are ${part}`)
    assert.ok(first.manifest.files.count > 0)
    const there = await freshDocket(OTHER[engine])
    assert.equal((await imported(there, first.archive)).ids, 'kept')
    await audit(there.storage, home.workspace)
    const second = await exported(there, home.workspace)
    const back = await freshDocket(engine)
    await imported(back, second.archive)
    await audit(back.storage, home.workspace)
    const third = await exported(back, home.workspace)
    for (const other of [second, third]) {
      assert.deepEqual(await essenceOf(other.archive), await essenceOf(first.archive))
    }
    await assertShownAlike(from, back, home)

    // A row that is not as it was is seen: the proof can fail.
    await there.storage.write({ ...NOBODY, workspace_id: home.workspace }, (tx) =>
      tx.run(forgetComments, {}),
    )
    const { manifest } = await exported(there, home.workspace)
    const differing = manifest.parts.filter((one, at) => {
      return one.sha256 !== first.manifest.parts[at]?.sha256
    })
    assert.deepEqual(
      differing.map(({ part }) => part),
      ['comments'],
    )
  })
}

test('whatever is done in a workspace comes back as it was', { timeout: 120_000 }, async () => {
  const from = await docketOn('sqlite')
  await fc.assert(
    fc.asyncProperty(deeds(60), async (done) => {
      const home = await newWorld(from, done)
      const first = await exported(from, home.workspace)
      const to = await freshDocket('sqlite')
      await imported(to, first.archive)
      await audit(to.storage, home.workspace)
      const second = await exported(to, home.workspace)
      assert.deepEqual(await essenceOf(second.archive), await essenceOf(first.archive))
    }),
    { numRuns: Number(process.env.EXPERIMENT_SCALE ?? 1) * 4 },
  )
})

for (const engine of ENGINES) {
  test(`on the same installation a copy gets ids of its own (${engine})`, async () => {
    const served = await docketOn(engine)
    const home = await newWorld(served)
    const first = await exported(served, home.workspace)
    const copy = await imported(served, first.archive)
    assert.deepEqual([copy.ids, copy.people], ['new', { known: 4, made: 0 }])
    await audit(served.storage, copy.workspace_id)
    const again = await exported(served, home.workspace)
    assert.deepEqual(await essenceOf(again.archive), await essenceOf(first.archive))

    const second = await exported(served, copy.workspace_id)
    const [was, is] = [await textOf(first.archive), await textOf(second.archive)]
    assert.equal(numbered(is), numbered(was), 'the same but for the ids, each of them everywhere')
    const kept = new Set(idsIn(was)).intersection(new Set(idsIn(is)))
    // What was deleted has no line, and is named by what tells of its deletion alone.
    const records = new Set(
      was.split('\n').flatMap((line) => /^\{"id":"(\w+)"/.exec(line)?.[1] ?? []),
    )
    const left = [...kept].filter((id) => !id.startsWith('usr_') && records.has(id))
    assert.ok(records.size > 30)
    assert.deepEqual(left, [], 'no record of the one is named by the other')
    await assertGoesOn(served, copy.workspace_id, home)
  })
}

test('people are found by their addresses, and keep their accounts', async () => {
  const [from, to] = [await docketOn('sqlite'), await freshDocket('postgres')]
  const home = await newWorld(from)
  const first = await exported(from, home.workspace)
  const { storage, server } = to
  // Somebody else has the id of one of them, and another has the address.
  const elsewhere = await newHome(storage)
  const text = (await contentOf(first.archive)).get('members.jsonl')?.toString() ?? ''
  const [ada] = text.split('\n').map((line) => JSON.parse(line || '{}'))
  await storage.write({ ...NOBODY, workspace_id: elsewhere.workspace }, async (tx) => {
    await tx.run(renameAccount, { id: elsewhere.people.member, email: ada.email })
  })
  const { workspace_id, people } = await imported(to, first.archive)
  assert.deepEqual([workspace_id, people], [home.workspace, { known: 1, made: 3 }])
  await audit(storage, workspace_id)
  const key = await keyIn(to, workspace_id, home.people.admin)
  const { text: said } = await call(server, key, {
    method: 'GET',
    url: '/api/v1/workspace/members',
  })
  const [member] = JSON.parse(said).data.filter((one: { email: string }) => one.email === ada.email)
  assert.deepEqual([member.id, member.name], [elsewhere.people.member, 'The member'])
  assert.ok(!(await textOf((await exported(to, workspace_id)).archive)).includes(ada.id))
})

/** What the API shows of two workspaces: tasks, deleted ones too, comments, files and events. */
async function assertShownAlike(one: Served, other: Served, home: Home): Promise<void> {
  const there = await keyIn(other, home.workspace, home.people.owner)
  const paths = ['/workspace/members?status=all', '/projects', '/events?limit=200']
  const tasks = await dataOf(one, home.keys.owner, '/tasks?deleted=include&limit=200')
  paths.push('/tasks?deleted=include&limit=200', '/tasks?q=gru')
  for (const { id, deleted_at } of tasks) {
    if (deleted_at) continue
    for (const list of ['comments', 'time-entries', 'attachments'])
      paths.push(`/tasks/${id}/${list}`)
  }
  for (const path of paths) {
    assert.deepEqual(
      await dataOf(other, there, path),
      await dataOf(one, home.keys.owner, path),
      path,
    )
  }
  const [webhook] = await dataOf(other, there, '/webhooks')
  assert.partialDeepStrictEqual(webhook, { is_active: false, status: 'disabled' } as object)
  for (const { id, deleted_at } of tasks) {
    if (deleted_at) continue
    for (const file of await dataOf(other, there, `/tasks/${id}/attachments`)) {
      const url = `/api/v1/attachments/${file.id}/content`
      const [here, gone] = [
        await call(one.server, home.keys.owner, { method: 'GET', url }),
        await call(other.server, there, { method: 'GET', url }),
      ]
      assert.deepEqual([gone.status, gone.text], [200, here.text])
    }
  }
}

/** Numbers and events go on where they stood, and no webhook is sent anything. */
async function assertGoesOn(served: Served, workspace_id: string, home: Home): Promise<void> {
  const key = await keyIn(served, workspace_id, home.people.owner)
  const projects = await dataOf(served, key, '/projects?status=active')
  const [old] = await dataOf(served, home.keys.owner, '/tasks?sort=-created_at')
  assert.ok(old)
  const events = await dataOf(served, key, '/events?limit=200')
  const body = { project_id: projects[0]?.id, title: 'Next' }
  const asked = { method: 'POST', url: '/api/v1/tasks', body }
  const made = JSON.parse((await call(served.server, key, asked)).text)
  const numbers = (await dataOf(served, key, '/tasks?deleted=include&limit=200'))
    .filter((one) => one.project_id === body.project_id && one.id !== made.id)
    .map((one) => Number(one.number))
  assert.ok(made.number > Math.max(...numbers))
  const [last] = (await dataOf(served, key, '/events?limit=200')).slice(-1)
  assert.equal(last?.sequence, events.length + 1)
  await audit(served.storage, workspace_id)
}

type Shown = Record<string, string>

async function dataOf({ server }: Served, key: string, path: string): Promise<Shown[]> {
  const { status, text } = await call(server, key, { method: 'GET', url: `/api/v1${path}` })
  assert.equal(status, 200, `${path}: ${text}`)
  return JSON.parse(text).data
}

const keyIn = async ({ storage }: Served, workspace_id: string, user_id: string) =>
  storage.write({ ...NOBODY, workspace_id }, async (tx) => {
    const wanted = { user_id, name: 'after', scopes: SCOPES, expires_at: null }
    return (await createKey(tx, wanted)).api_key
  })

/** All lines of an archive. */
async function textOf(path: string): Promise<string> {
  const content = [...(await contentOf(path))].filter(([name]) => name.endsWith('.jsonl'))
  return content.map(([, bytes]) => bytes.toString()).join('\n')
}

const idsIn = (text: string) => text.match(/[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}/g) ?? []

/** The same for texts that differ in ids alone. */
function numbered(text: string): string {
  const seen = new Map<string, number>()
  return text.replace(/[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}/g, (id) => {
    if (!seen.has(id)) seen.set(id, seen.size)
    return `${id.slice(0, 3)}#${seen.get(id)}`
  })
}

const forgetComments = command((db, $: Scoped) =>
  db.updateTable('comments').set({ body: 'else' }).where('workspace_id', '=', $.workspace_id),
)

const renameAccount = command((db, $: Scoped<{ id: string; email: string }>) =>
  db
    .updateTable('users')
    .set({ email: $.email })
    .where('id', '=', $.id)
    .where('id', 'in', (is) =>
      is.selectFrom('memberships').select('user_id').where('workspace_id', '=', $.workspace_id),
    ),
)
