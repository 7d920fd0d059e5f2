import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitByEmail, withAttemptLimits } from '#auth/sign-in/attempt-limits.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { purgeExpiredSessions } from './purges.ts'

const PAST = '2020-01-01T00:00:00.000Z'
const endSession = unscopedCommand((db, $: { id: string; at: string }) =>
  db.updateTable('sessions').set({ expires_at: $.at }).where('id', '=', $.id),
)
const session = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('sessions').select('id').where('id', '=', $.id),
)
const insertReset = unscopedCommand((db, $: { hash: string; user_id: string; at: string }) =>
  db
    .insertInto('password_resets')
    .values({ hash: $.hash, user_id: $.user_id, created_at: $.at, expires_at: $.at }),
)
const reset = unscopedQuery((db, $: { hash: string }) =>
  db.selectFrom('password_resets').select('hash').where('hash', '=', $.hash),
)
const endAttempts = unscopedCommand((db, $: { subject: string; at: string }) =>
  db.updateTable('attempts').set({ kept_until: $.at }).where('subject', '=', $.subject),
)
const attempts = unscopedQuery((db, $: { subject: string }) =>
  db.selectFrom('attempts').select('subject').where('subject', '=', $.subject),
)

for (const engine of ENGINES) {
  test(`purges expired sessions, password resets and attempts (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const [ended, lasting] = [
      await createTestSession(storage, team, 'owner'),
      await createTestSession(storage, team, 'owner'),
    ]
    const [old, young] = ['old', 'young'].map((one) =>
      limitByEmail(`${one}@${team.workspace}.example`),
    )
    const [hash, subject, kept] = [team.workspace, old?.name ?? '', young?.name ?? '']
    for (const one of [old, young])
      if (one) await withAttemptLimits(storage, [one], async () => false)
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(endSession, { id: ended.id, at: PAST })
      await tx.run(insertReset, { hash, user_id: team.people.owner, at: PAST })
      await tx.run(endAttempts, { subject, at: PAST })
    })
    const step = purgeExpiredSessions(storage)
    while (await step());
    const remaining = await storage.read(ANONYMOUS_ACTOR, async (tx) => [
      await tx.one(session, { id: ended.id }),
      await tx.one(session, { id: lasting.id }),
      await tx.one(reset, { hash }),
      await tx.one(attempts, { subject }),
      await tx.one(attempts, { subject: kept }),
    ])
    const is = { id: lasting.id }
    assert.deepEqual(remaining, [undefined, is, undefined, undefined, { subject: kept }])
  })
}
