import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createOAuthApplication,
  registerOAuthApplication,
  workspaceOfApplication,
} from '#auth/oauth/applications.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { COMMAND_LINE_APPLICATION_ID } from '#db/access/oauth-grants.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { timestampOf } from '#lib/clock.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { findGrantRemains, insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { purgeExpiredGrants } from './purges.ts'

const DAY = 24 * 60 * 60 * 1000
const PAST = '2020-01-01T00:00:00.000Z'
const WANTED = {
  name: 'Self-made',
  homepage_url: null,
  redirect_uris: ['http://127.0.0.1/cb'],
  scopes: ['tasks:read'] as const,
}

/** Ages the rows instead of the clock, because the PostgreSQL database is shared. */
const makeOld = unscopedCommand((db, $: { id: string; at: string }) =>
  db.updateTable('applications').set({ created_at: $.at }).where('id', '=', $.id),
)

for (const engine of ENGINES) {
  test(`purges self-registered applications without a grant after 30 days (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, people } = await createTestWorkspace(storage)
    const ids = await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
      const kind = { type: 'public', distribution: 'public', description: null } as const
      const made = { ...WANTED, ...kind, created_by_id: people.owner }
      const unused = (await registerOAuthApplication(tx, WANTED)).id
      const young = (await registerOAuthApplication(tx, WANTED)).id
      const used = (await registerOAuthApplication(tx, WANTED)).id
      const own = (await createOAuthApplication(tx, made)).id
      const of = { in_workspace: workspace, user_id: people.member }
      await insertTestGrant(tx, { ...of, application_id: used })
      const old = timestampOf(tx.nowMs - 30 * DAY)
      for (const id of [unused, used, own, COMMAND_LINE_APPLICATION_ID])
        await tx.run(makeOld, { id, at: old })
      await tx.run(makeOld, { id: young, at: timestampOf(tx.nowMs - 30 * DAY + 60_000) })
      return [unused, young, used, own, COMMAND_LINE_APPLICATION_ID]
    })
    const step = purgeExpiredGrants(storage)
    while (await step());
    const remaining = await storage.read(ANONYMOUS_ACTOR, async (tx) => {
      const applications = []
      for (const id of ids) applications.push(await tx.one(workspaceOfApplication, { id }))
      return applications.map((one) => one?.workspace_id)
    })
    assert.deepEqual(remaining, [undefined, null, null, workspace, null])
  })

  test(`goes on at once if more has expired than one step purges (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, people } = await createTestWorkspace(storage)
    const expired = {
      in_workspace: workspace,
      user_id: people.member,
      hasToken: false,
      application_id: COMMAND_LINE_APPLICATION_ID,
      expires_at: PAST,
    }
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      for (let at = 0; at < 501; at++) await insertTestGrant(tx, expired)
    })
    const step = purgeExpiredGrants(storage)
    assert.equal(await step(), true)
    while (await step());
    assert.equal(await step(), false)
  })

  test(`purges expired grants and tokens (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, people } = await createTestWorkspace(storage)
    const of = {
      in_workspace: workspace,
      user_id: people.member,
      application_id: COMMAND_LINE_APPLICATION_ID,
    }
    const [ended, begun, lasting, idle] = await storage.write(ANONYMOUS_ACTOR, async (tx) => [
      await insertTestGrant(tx, { ...of, expires_at: PAST }),
      await insertTestGrant(tx, { ...of, expires_at: PAST, hasToken: false }),
      await insertTestGrant(tx, of),
      // Its tokens have expired, and new ones may be on their way.
      await insertTestGrant(tx, { ...of, token_expires_at: PAST }),
    ])
    const step = purgeExpiredGrants(storage)
    while (await step());
    const remaining = await storage.read(ANONYMOUS_ACTOR, async (tx) => [
      await findGrantRemains(tx, ended),
      await findGrantRemains(tx, begun),
      await findGrantRemains(tx, lasting),
      await findGrantRemains(tx, idle),
    ])
    const [gone, kept] = [
      [false, false],
      [true, true],
    ]
    assert.deepEqual(remaining, [gone, gone, kept, [true, false]])
  })
}
