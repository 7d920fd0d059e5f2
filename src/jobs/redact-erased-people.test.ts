import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { nextErasure } from '#db/retention/person-erasure.ts'
import { continueErasures, erasePerson } from '#resources/offboarding/handover.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestClient } from '#test/support/world/test-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Role } from '#wire/rights.ts'
import { redactErasedPeople } from './redact-erased-people.ts'

const NAME = 'Ottoline Quwertz'
const EMAIL = 'ottoline.quwertz@canary.example'
/** Also matches search words and keys. */
const TRACE = /quwertz/i

/** The columns that may contain the name of a person, as one text per table. */
const places = [
  [
    'users',
    "name || ' ' || email || ' ' || coalesce(avatar_url, '') || coalesce(verified_email, '')",
  ],
  ['company_links', "coalesce(email, '')"],
  ['passkeys', 'name'],
  ['sign_in_steps', 'payload'],
  ['memberships', "name_key || ' ' || name_words"],
  ['events', 'payload'],
  ['deliveries', "coalesce(payload, '')"],
  ['delivery_attempts', "coalesce(response_body, '')"],
  ['replies', 'body'],
  ['invitations', 'email'],
  ['request_counts', 'name'],
  ['activity', "coalesce(credential_name, '')"],
  ['api_keys', 'name'],
  ['audit_entries', 'details'],
  ['installation', 'value'],
] as const
const traceQueries = places.map(([table, text]) => ({
  table,
  rows: unscopedQuery((db) =>
    db
      .selectFrom(table)
      .select(sql<string>`${sql.raw(text)}`.as('text'))
      .where(sql<string>`lower(${sql.raw(text)})`, 'like', '%quwertz%'),
  ),
}))

async function tracesIn(storage: Storage): Promise<string[]> {
  const counts = await storage.read(ANONYMOUS_ACTOR, async (tx) => {
    const tables: [string, number][] = []
    for (const { table, rows } of traceQueries)
      tables.push([table, (await tx.all(rows, {})).length])
    return tables
  })
  return counts.filter(([, count]) => count > 0).map(([table]) => table)
}

/** The database files that contain a trace, after a checkpoint of the write-ahead log. */
async function filesWithTrace(dataDir: string): Promise<string[]> {
  // The reads of a turn hold a snapshot, which the log is not truncated under.
  await nextTurn()
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  db.exec('pragma busy_timeout = 5000; pragma wal_checkpoint(truncate)')
  db.close()
  return readdirSync(dataDir).filter((name) => {
    return name.startsWith('docket.db') && TRACE.test(readFileSync(join(dataDir, name), 'latin1'))
  })
}

const verifyEmail = unscopedCommand((db, $: { user_id: string }) =>
  db
    .updateTable('users')
    .set((of) => ({ verified_email: of.ref('email') }))
    .where('id', '=', $.user_id),
)

/** Inserts sign-in methods, which contain a name or an address beside the account itself. */
const insertSignInMethods = [
  unscopedCommand((db, $: { at: string; user_id: string }) =>
    db.insertInto('company_links').values({
      issuer: 'https://id.example',
      subject: $.user_id,
      user_id: $.user_id,
      email: EMAIL,
      created_at: $.at,
      last_used_at: null,
    }),
  ),
  unscopedCommand((db, $: { at: string; user_id: string }) =>
    db.insertInto('passkeys').values({
      id: `psk_${$.user_id}`,
      user_id: $.user_id,
      credential: $.user_id,
      public_key: '',
      counter: 0,
      transports: '[]',
      name: 'Quwertz phone',
      created_at: $.at,
      last_used_at: null,
    }),
  ),
  unscopedCommand((db, $: { at: string; user_id: string }) =>
    db.insertInto('sign_in_steps').values({
      hash: $.user_id,
      kind: 'second_factor',
      user_id: $.user_id,
      expires_at: $.at,
      payload: JSON.stringify({ email: EMAIL }),
    }),
  ),
]

const insertEcho = unscopedCommand(
  (db, $: { at: string; echo: string; into: string; delivery: string }) =>
    db.insertInto('delivery_attempts').values({
      workspace_id: $.into,
      delivery_id: $.delivery,
      number: 1,
      started_at: $.at,
      duration_ms: 1,
      response_status: 200,
      response_body: $.echo,
      error: null,
      url: 'https://hooks.example.com',
      headers: '{}',
    }),
)

const actorIn = (workspace_id: string) => ({
  ...ANONYMOUS_ACTOR,
  role: 'owner' as const,
  workspace_id,
})

for (const engine of ENGINES) {
  const setUp = async () => {
    const docket = await openFreshDocket(engine)
    const { storage, config } = docket
    const team = await createTestWorkspace(storage)
    const { request } = createTestClient(docket, team)
    const ask = (as: Role, line: string, payload?: object, headers?: object) =>
      request(line, payload, as, headers)
    const password = async (role: Role) => setTestPassword(storage, team, role)
    return { storage, config, team, ask, password }
  }

  test(`redacts every trace of an erased person but keeps their work (${engine})`, async () => {
    const { storage, config, team, ask, password } = await setUp()
    const { workspace, people, project } = team
    await password('member')
    const named = { name: NAME, email: EMAIL, avatar_url: 'https://x.example/quwertz.png' }
    const changed = await ask('member', 'PATCH /internal/account', {
      ...named,
      current_password: TEST_PASSWORD,
    })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const key = { 'idempotency-key': 'once' }
    const body = { project_id: project, title: 'Their work', assignee_ids: [people.member] }
    const task = await ask('member', 'POST /api/v1/tasks', body, key)
    assert.equal(task.status, 201)
    for (let n = 0; n < 120; n++) {
      await ask('member', `PATCH /api/v1/tasks/${task.body.id}`, { title: `Their work ${n}` })
    }
    const said = await ask('member', `POST /api/v1/tasks/${task.body.id}/comments`, { body: 'Hi' })
    assert.equal(said.status, 201)
    await ask('member', `PATCH /api/v1/comments/${said.body.id}`, { body: 'Hello' })
    await ask('owner', `DELETE /api/v1/comments/${said.body.id}`)
    const named_key = { name: 'Quwertz at home', preset: 'full' }
    const apiKey = await ask('member', 'POST /internal/api-keys', named_key)
    assert.equal(apiKey.status, 201)
    const hook = { url: 'https://hooks.example.com/x', events: ['*'] }
    const { id: webhook } = (await ask('owner', 'POST /api/v1/webhooks', hook)).body
    const tested = await ask('owner', `POST /api/v1/webhooks/${webhook}/test`)
    assert.ok(tested.status < 300, JSON.stringify(tested.body))
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(verifyEmail, { user_id: people.member })
      for (const open of insertSignInMethods)
        await tx.run(open, { at: tx.now, user_id: people.member })
    })
    const into = { into: workspace, delivery: tested.body.id ?? '', at: '2026-01-01T00:00:00.000Z' }
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(insertEcho, { ...into, echo: `Thanks, ${NAME}` }),
    )
    await ask('owner', `DELETE /internal/members/${people.member}`)
    const invited = { email: EMAIL, role: 'member' }
    assert.equal((await ask('owner', 'POST /internal/invitations', invited)).status, 201)

    // The control: before, many tables contain the name.
    const before = await tracesIn(storage)
    for (const table of ['users', 'memberships', 'events', 'delivery_attempts', 'invitations']) {
      assert.ok(before.includes(table), `${table} has the name before`)
    }
    if (engine === 'sqlite') assert.ok((await filesWithTrace(config.dataDir)).length > 0)

    const readTrash = async () => (await ask('owner', 'GET /internal/trash/comments')).body.data
    assert.equal((await readTrash()).length, 1)

    await erasePerson(storage, people.member, { actorIn })
    // Each step may be the first after a crash.
    let steps = 0
    while (await redactErasedPeople(storage)()) steps += 1
    assert.ok(steps > 5, `${steps} steps`)
    assert.deepEqual(await tracesIn(storage), [])
    if (engine === 'sqlite') assert.deepEqual(await filesWithTrace(config.dataDir), [])

    assert.deepEqual(await readTrash(), [])
    const kept = await ask('owner', `GET /api/v1/tasks/${task.body.id}`)
    assert.deepEqual([kept.status, kept.body.created_by_id], [200, people.member])
    const log = await ask('owner', 'GET /api/v1/events?limit=200')
    assert.equal(log.status, 200)
    const removed = log.body.data.find(({ type }: { type: string }) => type === 'member.removed')
    assert.equal(removed.data.name, 'Removed person')
    const created = log.body.data.find(({ type }: { type: string }) => type === 'task.created')
    assert.deepEqual(
      [created.actor.name, created.actor.user_id, created.data.title],
      ['Removed person', people.member, 'Their work'],
    )
    const renamed = log.body.data.find(({ type }: { type: string }) => type === 'member.updated')
    assert.deepEqual(renamed.changes.name, { from: 'Removed person', to: 'Removed person' })
    const former = await ask('owner', 'GET /api/v1/workspace/members?status=removed')
    assert.equal(former.body.data[0]?.name, 'Removed person')
  })

  test(`an erasure whose process dies continues from its mark (${engine})`, async () => {
    const { storage, team } = await setUp()
    const { member } = team.people
    // The writes are the mark, the end of the membership and the tombstone.
    for (const done of [0, 1, 2]) {
      let left = done
      const dying: Pick<Storage, 'read' | 'write'> = {
        read: storage.read,
        write: async (...args) => {
          if (left === 0) throw new Error('killed')
          left -= 1
          return storage.write(...args)
        },
      }
      await assert.rejects(erasePerson(dying, member, { actorIn }), { message: 'killed' })
    }
    assert.equal(
      await redactErasedPeople(storage)(),
      false,
      'not before the account is a tombstone',
    )
    const nameOf = unscopedQuery((db, $: { id: string }) =>
      db.selectFrom('users').select('name').where('id', '=', $.id),
    )
    const readName = () =>
      storage.read(ANONYMOUS_ACTOR, async (tx) => (await tx.one(nameOf, { id: member }))?.name)
    assert.notEqual(await readName(), 'Removed person')
    const job = continueErasures(storage)
    assert.deepEqual([await job.run(), await job.run()], [true, false])
    assert.equal(await readName(), 'Removed person')
    assert.equal(await redactErasedPeople(storage)(), true)
  })

  test(`a repeated erasure keeps the name that is still to be redacted (${engine})`, async () => {
    const { storage, team } = await setUp()
    const { member } = team.people
    await erasePerson(storage, member, { actorIn })
    const readMark = () => storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(nextErasure, {}))
    const mark = await readMark()
    assert.equal(mark?.id, member)
    await erasePerson(storage, member, { actorIn })
    assert.deepEqual(await readMark(), mark)
  })

  test(`lets people erase their own account unless they are the last owner (${engine})`, async () => {
    const { storage, team, ask, password } = await setUp()
    await password('owner')
    await password('admin')
    const wrong = await ask('admin', 'DELETE /internal/account', { current_password: 'no' })
    assert.equal(wrong.status, 422)
    const alone = await ask('owner', 'DELETE /internal/account', {
      current_password: TEST_PASSWORD,
    })
    assert.equal(alone.body.error?.code, 'last_owner')
    assert.equal((await ask('owner', 'GET /api/v1/me')).status, 200)
    const gone = await ask('admin', 'DELETE /internal/account', { current_password: TEST_PASSWORD })
    assert.equal(gone.status, 204, JSON.stringify(gone.body))
    assert.equal((await ask('admin', 'GET /api/v1/me')).status, 401)
    // When the workspace itself is deleted, the last owner may leave.
    await ask('owner', 'DELETE /internal/workspace', {
      name: 'Test',
      current_password: TEST_PASSWORD,
    })
    const last = await ask('owner', 'DELETE /internal/account', { current_password: TEST_PASSWORD })
    assert.equal(last.status, 204, JSON.stringify(last.body))
    while (await redactErasedPeople(storage)());
    const accountOf = unscopedQuery((db, $: { id: string }) =>
      db.selectFrom('users').select(['name', 'password_hash']).where('id', '=', $.id),
    )
    for (const id of [team.people.admin, team.people.owner]) {
      const account = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(accountOf, { id }))
      assert.deepEqual({ ...account }, { name: 'Removed person', password_hash: null })
    }
  })
}
