import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Actor, NOBODY } from '#core/actor.ts'
import type { Export } from '#resources/exports/internal.ts'
import { createIn } from '#resources/tasks/operations/create.ts'
import { openStore } from '#storage/open.ts'
import { commandOfAll } from '#storage/statement.ts'
import { configFrom } from '../../src/config.ts'
import { essenceOf, exported, newName } from '../archive/support.ts'
import { emptyDir } from '../support/dir.ts'
import { ENGINES } from '../support/engines.ts'
import { freePort } from '../support/port.ts'
import { end, SECRET, settle, start } from '../support/process.ts'
import { sessionOf } from '../support/session.ts'
import { migratedDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

/** Tasks and their events: thirty megabytes, which are not written in a moment. */
const TASKS = 250
const TEXT = 'word '.repeat(12_000)

for (const engine of ENGINES) {
  test(`a server that is killed in an export begins it anew (${engine})`, {
    timeout: 120_000,
  }, async (t) => {
    const dataDir = emptyDir()
    const env: Record<string, string> =
      engine === 'postgres' ? { DOCKET_DATABASE_URL: (await migratedDatabase()).url } : {}
    const { workspace, project, people } = await settle(dataDir, env)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const config = configFrom({ ...env, DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET })
    const before = await openStore(config)
    const home = { workspace, project, people }
    const { headers } = await sessionOf(before.storage, home, 'owner', url)
    const owner: Actor = {
      ...{ ...NOBODY, workspace_id: workspace },
      ...{ type: 'user', role: 'owner', user_id: people.owner },
    }
    await before.storage.write(owner, async (tx) => {
      for (let at = 0; at < TASKS; at += 1) {
        await createIn(tx, { project_id: project, title: `Task ${at}`, description: TEXT })
      }
    })
    await before.storage.close()
    /** A machine that is busy with other things says when to come again. */
    const ask = async (path: string, method = 'GET') => {
      for (;;) {
        const reply = await fetch(`${url}/internal/exports${path}`, { method, headers })
        if (reply.status !== 503) return reply
        await pause(250)
      }
    }
    const list = async () => ((await (await ask('')).json()) as { data: Export[] }).data[0]
    const started = async () => {
      const server = await start(dataDir, { port, env })
      t.after(() => end(server, 'SIGKILL'))
      return server
    }
    const halfDone = () =>
      existsSync(join(dataDir, 'files/drafts')) &&
      readdirSync(join(dataDir, 'files/drafts')).some((name) => name.includes('.part-'))

    const first = await started()
    const begun = await ask('', 'POST')
    const { id } = (await begun.json()) as Export
    const content = () => ask(`/${id}/content`)
    await until('half of it', halfDone)
    await end(first, 'SIGKILL')
    assert.ok(halfDone())
    assert.equal(existsSync(join(dataDir, 'files', workspace)), false)

    const after = await openStore(config)
    // So long another process waits for a word of the one that was killed.
    await after.storage.write(NOBODY, (tx) => tx.run(letTimePass, {}))
    const second = await started()
    const statuses = new Set<string | undefined>()
    for (let now = await list(); now?.status !== 'ready'; now = await list()) {
      statuses.add(now?.status)
      assert.equal((await content()).status, 404)
      await pause(20)
    }
    assert.deepEqual([...statuses], ['running'])
    const reply = await content()
    const bytes = Buffer.from(await reply.arrayBuffer())
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.equal(reply.headers.get('etag'), `"${sha256}"`)
    await end(second, 'SIGTERM')

    const archive = newName()
    writeFileSync(archive, bytes)
    const again = await exported({ storage: after.storage, config }, workspace)
    const [sent, wanted] = [await essenceOf(archive), await essenceOf(again.archive)]
    assert.deepEqual([...sent.keys()], [...wanted.keys()])
    for (const part of ['tasks.jsonl', 'events.jsonl']) {
      assert.ok(sent.get(part) === wanted.get(part), part)
    }
    await after.storage.close()
  })
}

const letTimePass = commandOfAll((db) => db.updateTable('exports').set({ runner_until: '' }))
