import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Engine } from '#core/tx.ts'
import { openStore } from '#storage/open.ts'
import { query, type Scoped } from '#storage/statement.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { end, SECRET, settle, start } from '../support/process.ts'
import { migratedDatabase } from '../support/store.ts'

const [COMMENTS, AT_ONCE] = [40, 6]

const toldOf = query((db, $: Scoped) =>
  db
    .selectFrom('comments')
    .leftJoin('notifications', (join) =>
      join
        .onRef('notifications.workspace_id', '=', 'comments.workspace_id')
        .onRef('notifications.subject_id', '=', 'comments.id'),
    )
    .select((is) => ['comments.id', is.fn.count<number>('notifications.id').as('told')])
    .where('comments.workspace_id', '=', $.workspace_id)
    .groupBy('comments.id'),
)

for (const engine of ['sqlite', 'postgres'] satisfies Engine[]) {
  test(`a mention is told once, though the server is killed meanwhile (${engine})`, async () => {
    const dataDir = emptyDir()
    const env: Record<string, string> =
      engine === 'postgres' ? { DOCKET_DATABASE_URL: (await migratedDatabase()).url } : {}
    const home = await settle(dataDir, env)
    const server = await start(dataDir, { env })
    const ask = (port: number, path: string, key: string, body: object) =>
      fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${home.keys.owner}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
      })
    const made = await ask(server.port, '/tasks', 'task', { project_id: home.project, title: 'T' })
    assert.equal(made.status, 201)
    const { id } = (await made.json()) as { id: string }
    const body = { body: `<@${home.people.member}>` }
    const say = (port: number, n: number) => ask(port, `/tasks/${id}/comments`, `said-${n}`, body)
    let acknowledged = 0
    let next = 0
    const speaking = async () => {
      while (next < COMMENTS) {
        const reply = await say(server.port, next++)
        assert.equal(reply.status, 201, await reply.text())
        acknowledged += 1
        if (acknowledged === COMMENTS / 4) await end(server, 'SIGKILL')
      }
    }
    await Promise.allSettled(Array.from({ length: AT_ONCE }, speaking))
    assert.ok(acknowledged >= COMMENTS / 4, 'too few were answered')
    assert.ok(acknowledged < COMMENTS, 'the kill came too late')
    const again = await start(dataDir, { env })
    for (let n = 0; n < COMMENTS; n++) assert.equal((await say(again.port, n)).status, 201)
    await end(again, 'SIGKILL')
    const { storage } = await openStore(
      configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, ...env }),
    )
    const at = { ...NOBODY, workspace_id: home.workspace }
    const told = await storage.read(at, (tx) => tx.all(toldOf, {}))
    await storage.close()
    assert.equal(told.length, COMMENTS)
    assert.deepEqual(new Set(told.map((one) => Number(one.told))), new Set([1]))
  })
}
