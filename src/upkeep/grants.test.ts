import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import {
  createApplication,
  registerApplication,
  workspaceOfApplication,
} from '#identity/applications.ts'
import { timestampOf } from '#lib/clock.ts'
import { COMMAND_LINE } from '#storage/oauth.ts'
import { commandOfAll } from '#storage/statement.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { allowed, leftOf } from '#test/support/grant.ts'
import { newHome } from '#test/support/home.ts'
import { forgetGrants } from './grants.ts'

const DAY = 24 * 60 * 60 * 1000
const PAST = '2020-01-01T00:00:00.000Z'
const WANTED = {
  ...{ name: 'Self-made', homepage_url: null },
  ...{ redirect_uris: ['http://127.0.0.1/cb'], scopes: ['tasks:read'] as const },
}

/** Rows become older, not the clock later: the database of PostgreSQL is shared. */
const makeOld = commandOfAll((db, $: { id: string; at: string }) =>
  db.updateTable('applications').set({ created_at: $.at }).where('id', '=', $.id),
)

for (const engine of ENGINES) {
  test(`an application that registered itself for nothing is forgotten after 30 days (${engine})`, async () => {
    const { storage } = await docketOn(engine)
    const { workspace, people } = await newHome(storage)
    const ids = await storage.write({ ...NOBODY, workspace_id: workspace }, async (tx) => {
      const kind = { type: 'public', distribution: 'public', description: null } as const
      const made = { ...WANTED, ...kind, created_by_id: people.owner }
      const unused = (await registerApplication(tx, WANTED)).id
      const young = (await registerApplication(tx, WANTED)).id
      const used = (await registerApplication(tx, WANTED)).id
      const own = (await createApplication(tx, made)).id
      const of = { in_workspace: workspace, user_id: people.member }
      await allowed(tx, { ...of, application_id: used })
      const old = timestampOf(tx.instant - 30 * DAY)
      for (const id of [unused, used, own, COMMAND_LINE]) await tx.run(makeOld, { id, at: old })
      await tx.run(makeOld, { id: young, at: timestampOf(tx.instant - 30 * DAY + 60_000) })
      return [unused, young, used, own, COMMAND_LINE]
    })
    const step = forgetGrants(storage)
    while (await step());
    const left = await storage.read(NOBODY, async (tx) => {
      const found = []
      for (const id of ids) found.push(await tx.one(workspaceOfApplication, { id }))
      return found.map((one) => one?.workspace_id)
    })
    assert.deepEqual(left, [undefined, null, null, workspace, null])
  })

  test(`what applications were allowed is forgotten when its time is over (${engine})`, async () => {
    const { storage } = await docketOn(engine)
    const { workspace, people } = await newHome(storage)
    const of = { in_workspace: workspace, user_id: people.member, application_id: COMMAND_LINE }
    const [ended, begun, lasting, idle] = await storage.write(NOBODY, async (tx) => [
      await allowed(tx, { ...of, expires_at: PAST }),
      await allowed(tx, { ...of, expires_at: PAST, hasToken: false }),
      await allowed(tx, of),
      // Its tokens have gone, and others may be on their way.
      await allowed(tx, { ...of, token_expires_at: PAST }),
    ])
    const step = forgetGrants(storage)
    while (await step());
    const left = await storage.read(NOBODY, async (tx) => [
      await leftOf(tx, ended),
      await leftOf(tx, begun),
      await leftOf(tx, lasting),
      await leftOf(tx, idle),
    ])
    const [gone, kept] = [
      [false, false],
      [true, true],
    ]
    assert.deepEqual(left, [gone, gone, kept, [true, false]])
  })
}
