import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'

const [COMMENTS, CONCURRENCY] = [40, 6]

const notificationCounts = query((db, $: Scoped) =>
  db
    .selectFrom('comments')
    .leftJoin('notifications', (join) =>
      join
        .onRef('notifications.workspace_id', '=', 'comments.workspace_id')
        .onRef('notifications.subject_id', '=', 'comments.id'),
    )
    .select((is) => ['comments.id', is.fn.count<number>('notifications.id').as('count')])
    .where('comments.workspace_id', '=', $.workspace_id)
    .groupBy('comments.id'),
)

for (const engine of ['sqlite', 'postgres'] satisfies DatabaseEngine[]) {
  test(`a mention creates one notification, even if the server is killed (${engine})`, async () => {
    const dataDir = createTempDir()
    const env: Record<string, string> =
      engine === 'postgres' ? { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url } : {}
    const team = await seedDataDir(dataDir, env)
    const server = await startServer(dataDir, { env })
    const ask = (port: number, path: string, key: string, body: object) =>
      fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${team.keys.owner}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
      })
    const made = await ask(server.port, '/tasks', 'task', { project_id: team.project, title: 'T' })
    assert.equal(made.status, 201)
    const { id } = (await made.json()) as { id: string }
    const body = { body: `<@${team.people.member}>` }
    const comment = (port: number, n: number) =>
      ask(port, `/tasks/${id}/comments`, `said-${n}`, body)
    let acknowledged = 0
    let next = 0
    const writeComments = async () => {
      while (next < COMMENTS) {
        const reply = await comment(server.port, next++)
        assert.equal(reply.status, 201, await reply.text())
        acknowledged += 1
        if (acknowledged === COMMENTS / 4) await endServer(server, 'SIGKILL')
      }
    }
    await Promise.allSettled(Array.from({ length: CONCURRENCY }, writeComments))
    assert.ok(acknowledged >= COMMENTS / 4, 'too few were answered')
    assert.ok(acknowledged < COMMENTS, 'the kill came too late')
    const again = await startServer(dataDir, { env })
    for (let n = 0; n < COMMENTS; n++) assert.equal((await comment(again.port, n)).status, 201)
    await endServer(again, 'SIGKILL')
    const { storage } = await openStore(
      parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, ...env }),
    )
    const at = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const counts = await storage.read(at, (tx) => tx.all(notificationCounts, {}))
    await storage.close()
    assert.equal(counts.length, COMMENTS)
    assert.deepEqual(new Set(counts.map(({ count }) => Number(count))), new Set([1]))
  })
}
