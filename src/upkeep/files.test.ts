import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { holdingFiles } from '#backup/hold.ts'
import { NOBODY } from '#core/actor.ts'
import { openFiles } from '#files/open.ts'
import { newId } from '#lib/id.ts'
import { doomedFiles } from '#storage/files.ts'
import { query, type Scoped } from '#storage/statement.ts'
import { audit } from '#test/support/audit.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES } from '#test/support/engines.ts'
import { freshDockets } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { removeDoomed, sweepOrphans } from './files.ts'
import { emptyTrash } from './trash.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

const bytesKept = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('attachment_bytes').where('id', '=', $.workspace_id),
)

const clock = createTestClock()
/** On databases of their own: with this clock, upkeep would take away what is of other tests. */
const ownDocket = freshDockets({}, { clock })

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server, config } = await ownDocket(engine)
    const { workspace, project, keys } = await newHome(storage)
    const send = async (
      method: 'POST' | 'GET' | 'DELETE',
      url: string,
      payload: string | object,
    ) => {
      const headers = { authorization: `Bearer ${keys.owner}` }
      const json = typeof payload === 'object' && { 'content-type': 'application/json' }
      const asked = { method, url: `/api/v1${url}`, headers: { ...headers, ...json }, payload }
      const reply = await server.inject(asked)
      assert.ok(reply.statusCode < 300, reply.body)
      return reply.body === '' ? {} : reply.json()
    }
    const task = (await send('POST', '/tasks', { project_id: project, title: 'T' })).id
    const attach = async (): Promise<string> =>
      (await send('POST', `/tasks/${task}/attachments?filename=a`, 'Hello')).id
    const directory = join(config.dataDir, 'files')
    const pathOf = (id: string) => join(directory, workspace, id)
    const files = openFiles({ dataDir: config.dataDir, s3: undefined })
    return { storage, files, workspace, task, send, attach, directory, pathOf }
  }
  const toEnd = async (step: () => Promise<boolean>) => {
    while (await step());
  }

  test(`no file goes while a backup needs it (${engine})`, async () => {
    const { storage, files, send, attach, pathOf } = await setUp()
    const gone = await attach()
    await holdingFiles(storage, async () => {
      await send('DELETE', `/attachments/${gone}`, '')
      await toEnd(removeDoomed(storage, files))
      const long = new Date(clock.now() - DAY)
      utimesSync(pathOf(gone), long, long)
      await toEnd(sweepOrphans(storage, files))
      assert.ok(existsSync(pathOf(gone)))
    })
    await toEnd(removeDoomed(storage, files))
    assert.ok(!existsSync(pathOf(gone)))
  })

  test(`the bytes of a deleted attachment go, and then the note of them (${engine})`, async () => {
    const { storage, files, send, attach, pathOf } = await setUp()
    const [kept, gone] = [await attach(), await attach()]
    await send('DELETE', `/attachments/${gone}`, '')
    assert.ok(existsSync(pathOf(gone)), 'not before the commit')
    await toEnd(removeDoomed(storage, files))
    assert.deepEqual([existsSync(pathOf(kept)), existsSync(pathOf(gone))], [true, false])
    const notes = await storage.read(NOBODY, (tx) => tx.all(doomedFiles, { limit: 100 }))
    assert.ok(notes.every(({ id }) => id !== gone))
  })

  test(`what cannot be removed now is removed later (${engine})`, async () => {
    const { storage, files, send, attach, pathOf } = await setUp()
    const gone = await attach()
    await send('DELETE', `/attachments/${gone}`, '')
    const failing = { ...files, remove: () => Promise.reject(new Error('The disk is away')) }
    await assert.rejects(removeDoomed(storage, failing), /away/)
    await toEnd(removeDoomed(storage, files))
    assert.ok(!existsSync(pathOf(gone)))
  })

  test(`what cannot be removed holds up no other (${engine})`, async () => {
    const { storage, files, send, attach, pathOf } = await setUp()
    await toEnd(removeDoomed(storage, files))
    const [stuck, gone] = [await attach(), await attach()]
    for (const id of [stuck, gone]) {
      await send('DELETE', `/attachments/${id}`, '')
      clock.advance(1)
    }
    const remove = (key: string) =>
      key.endsWith(stuck) ? Promise.reject(new Error('It is held')) : files.remove(key)
    const step = removeDoomed(storage, { ...files, remove })
    await assert.rejects(step(), /held/)
    await assert.rejects(step(), /held/)
    assert.deepEqual([existsSync(pathOf(stuck)), existsSync(pathOf(gone))], [true, false])
    await toEnd(removeDoomed(storage, files))
    assert.ok(!existsSync(pathOf(stuck)))
  })

  test(`a purged task takes the bytes of its attachments along (${engine})`, async () => {
    const { storage, files, workspace, task, send, attach, pathOf } = await setUp()
    const ids = [await attach(), await attach()]
    await send('DELETE', `/tasks/${task}`, '')
    await toEnd(emptyTrash(storage, 30))
    await toEnd(removeDoomed(storage, files))
    assert.ok(
      ids.every((id) => existsSync(pathOf(id))),
      'it can be restored yet',
    )
    clock.advance(31 * DAY)
    await toEnd(emptyTrash(storage, 30))
    await toEnd(removeDoomed(storage, files))
    assert.ok(ids.every((id) => !existsSync(pathOf(id))))
    const left = await storage.read({ ...NOBODY, workspace_id: workspace }, (tx) =>
      tx.one(bytesKept, {}),
    )
    assert.deepEqual(left, { attachment_bytes: 0 })
  })

  test(`what a crash has left is swept, and nothing else (${engine})`, async () => {
    const { storage, files, workspace, attach, directory, pathOf } = await setUp()
    const aged = (path: string, ms: number) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'left')
      utimesSync(path, new Date(), new Date(clock.now() - ms))
      return path
    }
    const kept = await attach()
    utimesSync(pathOf(kept), new Date(), new Date(clock.now() - 2 * DAY))
    const many = Array.from({ length: 150 }, () => aged(pathOf(newId('att')), 4 * HOUR))
    const gone = [...many, aged(join(directory, 'drafts', newId('att')), 4 * HOUR)]
    const stays = [
      ...[pathOf(kept), aged(pathOf(newId('att')), 2 * HOUR)],
      aged(join(directory, 'drafts', newId('att')), 2 * HOUR),
      // Of another installation that has the same bucket, and of nobody.
      aged(join(directory, newId('wsp'), newId('att')), 4 * HOUR),
      aged(pathOf('README'), 4 * HOUR),
    ]
    await toEnd(sweepOrphans(storage, files))
    assert.deepEqual(
      stays.filter((path) => !existsSync(path)),
      [],
    )
    assert.deepEqual(
      gone.filter((path) => existsSync(path)),
      [],
    )
    assert.equal(readdirSync(join(directory, workspace)).length, 3)
    await audit(storage, workspace)
  })
}
