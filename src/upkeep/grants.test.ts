import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { WriteTx } from '#core/tx.ts'
import {
  createApplication,
  registerApplication,
  workspaceOfApplication,
} from '#identity/applications.ts'
import { clock } from '#lib/clock.ts'
import { COMMAND_LINE } from '#storage/oauth.ts'
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

for (const engine of ENGINES) {
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

  test(`an application that registered itself for nothing is forgotten after 30 days (${engine})`, async (t) => {
    const { storage } = await docketOn(engine)
    const { workspace, people } = await newHome(storage)
    const within = { ...NOBODY, workspace_id: workspace }
    const register = async (tx: WriteTx) => (await registerApplication(tx, WANTED)).id
    const [unused, used, own] = await storage.write(within, async (tx) => {
      const type = { type: 'public', distribution: 'public', description: null } as const
      const made = { ...WANTED, ...type, created_by_id: people.owner }
      return [await register(tx), await register(tx), (await createApplication(tx, made)).id]
    })
    const young = () =>
      storage.read(NOBODY, async (tx) => {
        const ids = [unused, used, own, COMMAND_LINE]
        const found = []
        for (const id of ids)
          found.push((await tx.one(workspaceOfApplication, { id }))?.workspace_id)
        return found
      })
    await storage.write(NOBODY, (tx) =>
      allowed(tx, { in_workspace: workspace, user_id: people.member, application_id: used }),
    )
    let now = clock.now() + 30 * DAY - 60_000
    t.mock.method(clock, 'now', () => now)
    await forgetGrants(storage)()
    assert.deepEqual(await young(), [null, null, workspace, null])
    now += 120_000
    await forgetGrants(storage)()
    assert.deepEqual(await young(), [undefined, null, workspace, null])
  })
}
