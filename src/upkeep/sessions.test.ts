import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { attempt, ofEmail } from '#identity/attempts.ts'
import { commandOfAll, queryOfAll } from '#storage/statement.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { sessionOf } from '#test/support/session.ts'
import { forgetSessions } from './sessions.ts'

const PAST = '2020-01-01T00:00:00.000Z'
const endSession = commandOfAll((db, $: { id: string; at: string }) =>
  db.updateTable('sessions').set({ expires_at: $.at }).where('id', '=', $.id),
)
const session = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('sessions').select('id').where('id', '=', $.id),
)
const insertReset = commandOfAll((db, $: { hash: string; user_id: string; at: string }) =>
  db
    .insertInto('password_resets')
    .values({ hash: $.hash, user_id: $.user_id, created_at: $.at, expires_at: $.at }),
)
const reset = queryOfAll((db, $: { hash: string }) =>
  db.selectFrom('password_resets').select('hash').where('hash', '=', $.hash),
)
const endAttempts = commandOfAll((db, $: { subject: string; at: string }) =>
  db.updateTable('attempts').set({ kept_until: $.at }).where('subject', '=', $.subject),
)
const attempts = queryOfAll((db, $: { subject: string }) =>
  db.selectFrom('attempts').select('subject').where('subject', '=', $.subject),
)

for (const engine of ENGINES) {
  test(`sessions, links and attempts are forgotten when their time is over (${engine})`, async () => {
    const { storage } = await docketOn(engine)
    const home = await newHome(storage)
    const [ended, lasting] = [
      await sessionOf(storage, home, 'owner'),
      await sessionOf(storage, home, 'owner'),
    ]
    const [old, young] = ['old', 'young'].map((one) => ofEmail(`${one}@${home.workspace}.example`))
    const [hash, subject, kept] = [home.workspace, old?.name ?? '', young?.name ?? '']
    for (const one of [old, young]) if (one) await attempt(storage, [one], async () => false)
    await storage.write(NOBODY, async (tx) => {
      await tx.run(endSession, { id: ended.id, at: PAST })
      await tx.run(insertReset, { hash, user_id: home.people.owner, at: PAST })
      await tx.run(endAttempts, { subject, at: PAST })
    })
    const step = forgetSessions(storage)
    while (await step());
    const left = await storage.read(NOBODY, async (tx) => [
      await tx.one(session, { id: ended.id }),
      await tx.one(session, { id: lasting.id }),
      await tx.one(reset, { hash }),
      await tx.one(attempts, { subject }),
      await tx.one(attempts, { subject: kept }),
    ])
    const is = { id: lasting.id }
    assert.deepEqual(left, [undefined, is, undefined, undefined, { subject: kept }])
  })
}
