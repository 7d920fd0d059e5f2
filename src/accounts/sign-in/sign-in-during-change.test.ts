import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { workspacesOfUser } from '#resources/sessions/store.ts'
import {
  ENGINES,
  openTestDocket,
  testLog,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import { afterFile } from '#test/support/runner/cleanup.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import {
  type CookieClientReply,
  createCookieClient,
  describeReply,
} from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createApp } from '../../server/app.ts'

const SIGN_IN = 'POST /internal/session'

const countWaitingForLocks = unscopedQuery((db) =>
  db.selectNoFrom(
    sql<number>`(select count(*)::int from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock')`.as('count'),
  ),
)

// On SQLite all writes are serialized anyway.
if (ENGINES.includes('postgres')) {
  async function open() {
    const docket = await openTestDocket('postgres', withoutRowLevelSecurity('postgres'))
    const team = await createTestWorkspace(docket.storage)
    const email = await setTestPassword(docket.storage, team, 'member')
    const signIn = async () => {
      const client = createCookieClient(docket.server)
      const reply = await client.send(SIGN_IN, { email, password: TEST_PASSWORD })
      return { client, reply }
    }
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // Another process: writes of no workspace would wait for the held one within its own.
    const otherProcess = await openTestDocket('postgres', {
      ...withoutRowLevelSecurity('postgres'),
      DOCKET_OPERATOR_EMAIL: 'other@example.com',
    })
    let holds = false
    const hold = async () => {
      if (!holds) return
      reached.resolve()
      await released.promise
    }
    const server = await serveWithHeldSession(otherProcess, hold)
    /**
     * Sends a request to a server that holds it after its checks, before it starts the session, and
     * another one meanwhile, until that has ended or waits for the first.
     */
    async function overlap(
      request: () => Promise<CookieClientReply>,
      other: () => Promise<CookieClientReply>,
    ): Promise<[CookieClientReply, CookieClientReply]> {
      holds = true
      const held = request()
      const early = held.then((reply) => assert.fail(`ended early: ${describeReply(reply)}`))
      await Promise.race([reached.promise, early])
      early.catch(() => {})
      let isDone = false
      const begun = other().finally(() => {
        isDone = true
      })
      await waitUntil('the other request to end or to wait', async () => {
        const waiting = await docket.storage.read(ANONYMOUS_ACTOR, (tx) =>
          tx.one(countWaitingForLocks, {}),
        )
        return isDone || (waiting?.count ?? 0) > 0
      })
      released.resolve()
      return Promise.all([held, begun])
    }
    return { email, signIn, held: createCookieClient(server), overlap }
  }

  /** A server that calls `hold` before it starts a session, after all of its checks. */
  async function serveWithHeldSession(
    { storage, config }: Awaited<ReturnType<typeof openTestDocket>>,
    hold: () => Promise<void>,
  ) {
    const heldStorage: Storage = {
      ...storage,
      write: (actor, work, at) =>
        storage.write(
          actor,
          (tx) => {
            const all = tx.all.bind(tx)
            const holdAll = async (...[query, args]: Parameters<WriteTx['all']>) => {
              if (Object.is(query, workspacesOfUser)) await hold()
              return all(query, args)
            }
            return work(Object.assign(tx, { all: holdAll }))
          },
          at,
        ),
    }
    const { server } = await createApp(heldStorage, config, TEST_SECRET, testLog, undefined, {
      sheds: false,
    })
    afterFile(() => server.close())
    return server
  }

  test('a new password ends a session that is just being started with the old one', async () => {
    const { email, signIn, held, overlap } = await open()
    const { client } = await signIn()
    const [entered, changed] = await overlap(
      () => held.send(SIGN_IN, { email, password: TEST_PASSWORD }),
      () =>
        client.send('PATCH /internal/account', {
          password: 'plum cake at night',
          current_password: TEST_PASSWORD,
        }),
    )
    assert.deepEqual([entered, changed].map(describeReply), ['201', '200'])
    const after = await held.send('GET /internal/session')
    assert.equal(describeReply(after), '401 authentication_required')
  })
}
