import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { withFileDeletionPaused } from '#backup/pause-file-deletion.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { query } from '#db/core/statement.ts'
import { pendingFileDeletions } from '#db/retention/pending-file-deletions.ts'
import { abandonedWorkspaces, abandonWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import type { Files } from '#files/files.ts'
import { openFiles } from '#files/open.ts'
import { newId } from '#lib/id.ts'
import { assertCountersMatchRows } from '#test/support/data/counters.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { openInstallationId } from '#webhooks/installation-id.ts'
import { createInstallationJobs } from './jobs.ts'
import {
  deletePendingFiles,
  emptyTrash,
  purgeAbandonedWorkspaces,
  purgeOldOperations,
  sweepOrphanedFiles,
} from './purges.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

const bytesKept = query((db) => db.selectFrom('workspaces').select('attachment_bytes'))

const clock = createTestClock()
/** On databases of their own: with this clock, jobs would purge the data of other tests. */
const ownDocket = createFreshDockets({}, { clock })

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server, config } = await ownDocket(engine)
    const { workspace, project, keys } = await createTestWorkspace(storage)
    const send = async (
      method: 'POST' | 'GET' | 'DELETE',
      url: string,
      payload: string | object,
    ) => {
      const headers = { authorization: `Bearer ${keys.owner}` }
      const json = typeof payload === 'object' && { 'content-type': 'application/json' }
      const request = { method, url: `/api/v1${url}`, headers: { ...headers, ...json }, payload }
      const reply = await server.inject(request)
      assert.ok(reply.statusCode < 300, reply.body)
      return reply.body === '' ? {} : reply.json()
    }
    const task = (await send('POST', '/tasks', { project_id: project, title: 'T' })).id
    const attach = async (): Promise<string> =>
      (await send('POST', `/tasks/${task}/attachments?filename=a`, 'Hello')).id
    const directory = join(config.dataDir, 'files')
    const pathOf = (id: string) => join(directory, workspace, id)
    const files = openFiles({ dataDir: config.dataDir, s3: undefined })
    return { storage, files, config, workspace, task, send, attach, directory, pathOf }
  }
  /** Deletes an attachment, and its file from the trash. */
  const removeForever = async (
    { storage, send }: Awaited<ReturnType<typeof setUp>>,
    id: string,
  ) => {
    await send('DELETE', `/attachments/${id}`, '')
    clock.advance(1)
    await runToEnd(purgeOldOperations(storage, 0))
    clock.advance(1)
  }
  const runToEnd = async (step: () => Promise<boolean>) => {
    while (await step());
  }

  test(`deletes no file while a backup holds the files (${engine})`, async () => {
    const home = await setUp()
    const { storage, files, attach, pathOf } = home
    const gone = await attach()
    await withFileDeletionPaused(storage, async () => {
      await removeForever(home, gone)
      await runToEnd(deletePendingFiles(storage, files))
      const long = new Date(clock.now() - DAY)
      utimesSync(pathOf(gone), long, long)
      await runToEnd(sweepOrphanedFiles(storage, files))
      assert.ok(existsSync(pathOf(gone)))
    })
    await runToEnd(deletePendingFiles(storage, files))
    assert.ok(!existsSync(pathOf(gone)))
  })

  test(`deletes the file of a deleted attachment, then its pending deletion (${engine})`, async () => {
    const home = await setUp()
    const { storage, files, send, attach, pathOf } = home
    const [kept, gone, trashed] = [await attach(), await attach(), await attach()]
    await removeForever(home, gone)
    assert.ok(existsSync(pathOf(gone)), 'not before the commit')
    await send('DELETE', `/attachments/${trashed}`, '')
    const long = new Date(clock.now() - DAY)
    utimesSync(pathOf(trashed), long, long)
    await runToEnd(purgeOldOperations(storage))
    await runToEnd(sweepOrphanedFiles(storage, files))
    await runToEnd(deletePendingFiles(storage, files))
    const exists = [kept, gone, trashed].map((id) => existsSync(pathOf(id)))
    assert.deepEqual(exists, [true, false, true])
    const notes = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(pendingFileDeletions, { limit: 100 }),
    )
    assert.ok(notes.every(({ id }) => id !== gone))
  })

  test(`a workspace whose files cannot be deleted does not delay the purge of others (${engine})`, async () => {
    const homes = [await setUp(), await setUp()]
    for (const { attach } of homes) await attach()
    const { storage, files } = homes[0] ?? assert.fail()
    const [stuck = '', other = ''] = homes.map(({ workspace }) => workspace).toSorted()
    for (const id of [stuck, other])
      await storage.write(ANONYMOUS_ACTOR, (tx) => abandonWorkspace(tx, id))
    let failing: keyof Files = 'remove'
    const refusal = new Error('The bucket refuses')
    const refusing: Files = {
      ...files,
      remove: async (key) => {
        if (failing === 'remove' && key.startsWith(stuck)) throw refusal
        await files.remove(key)
      },
      clear: async (id) => {
        if (failing === 'clear' && id === stuck) throw refusal
        await files.clear(id)
      },
    }
    const run = async () => {
      const errors = new Set<unknown>()
      const deletion = [deletePendingFiles, deletePendingFiles]
      for (const job of [purgeAbandonedWorkspaces, ...deletion, purgeAbandonedWorkspaces]) {
        // A file that was refused is tried again after the others.
        clock.advance(HOUR)
        await runToEnd(job(storage, refusing)).catch((error) => errors.add(error))
      }
      return [...errors]
    }
    const left = async () =>
      (await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(abandonedWorkspaces, {}))).map(
        ({ id }) => id,
      )
    assert.deepEqual(await run(), [refusal])
    assert.deepEqual(await left(), [stuck])
    failing = 'clear'
    const [failure] = await run()
    assert.ok(failure instanceof AggregateError)
    assert.deepEqual(failure.errors, [refusal])
    failing = 'sweepDrafts'
    assert.deepEqual([await run(), await left()], [[], []])
  })

  test(`deletes the files of a purged task (${engine})`, async () => {
    const { storage, files, workspace, task, send, attach, pathOf } = await setUp()
    const ids = [await attach(), await attach()]
    await send('DELETE', `/tasks/${task}`, '')
    await runToEnd(emptyTrash(storage, 30))
    await runToEnd(deletePendingFiles(storage, files))
    assert.ok(
      ids.every((id) => existsSync(pathOf(id))),
      'it can be restored yet',
    )
    clock.advance(31 * DAY)
    await runToEnd(emptyTrash(storage, 30))
    await runToEnd(deletePendingFiles(storage, files))
    assert.ok(ids.every((id) => !existsSync(pathOf(id))))
    const remaining = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, (tx) =>
      tx.one(bytesKept, {}),
    )
    assert.deepEqual(remaining, { attachment_bytes: 0 })
  })

  test(`the feed tells that the attachments of a purged task are gone (${engine})`, async () => {
    const { storage, task, send, attach } = await setUp()
    const ids = [await attach(), await attach()]
    const feed = '/changes?types=attachment'
    const { position } = await send('GET', feed, '')
    await send('DELETE', `/tasks/${task}`, '')
    clock.advance(31 * DAY)
    await runToEnd(emptyTrash(storage, 30))
    const { data } = await send('GET', `${feed}&after=${position}`, '')
    const steps = data.map(({ op, id }: { op: string; id: string }) => `${op} ${id}`)
    assert.deepEqual(steps.toSorted(), ids.map((id) => `delete ${id}`).toSorted())
  })

  test(`a task that is restored while it is about to be purged stays (${engine})`, async () => {
    const { storage, task, send } = await setUp()
    await send('DELETE', `/tasks/${task}`, '')
    clock.advance(29 * DAY)
    // Of a process whose clock is ahead, so that the restoration is in time for this one.
    const ahead: Storage = Object.create(storage, {
      read: {
        value: async (...call: Parameters<Storage['read']>) => {
          const found = await storage.read(...call)
          if (JSON.stringify(found).includes(task)) await send('POST', `/tasks/${task}/restore`, '')
          return found
        },
      },
    })
    await runToEnd(emptyTrash(ahead, 28))
    assert.equal((await send('GET', `/tasks/${task}`, '')).id, task)
  })

  // What follows is about files.
  if (engine !== 'sqlite') continue

  test(`a copy deletes no file until it is resumed (${engine})`, async () => {
    const home = await setUp()
    const { storage, files, config, attach, directory, pathOf } = home
    const [deleted, { workspace: abandoned }] = [await attach(), await createTestWorkspace(storage)]
    await removeForever(home, deleted)
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: abandoned }, (tx) =>
      abandonWorkspace(tx, abandoned),
    )
    const doomed = [pathOf(deleted), pathOf(newId('att')), join(directory, abandoned, newId('att'))]
    for (const path of doomed) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'of the original, too')
      utimesSync(path, new Date(), new Date(clock.now() - DAY))
    }
    const installation = openInstallationId(storage, config.dataDir)
    const jobs = createInstallationJobs({
      storage,
      files,
      hasMail: false,
      isCopy: installation.isCopy,
    })
    const existing = async () => {
      for (const { run } of jobs) await runToEnd(run)
      return doomed.map((path) => existsSync(path))
    }
    await installation.pause()
    assert.deepEqual(await existing(), [true, true, true])
    await installation.resume()
    assert.deepEqual(await existing(), [false, false, false], 'nothing was forgotten')
  })

  test(`retries a file that cannot be deleted (${engine})`, async () => {
    const home = await setUp()
    const { storage, files, attach, pathOf } = home
    const gone = await attach()
    await removeForever(home, gone)
    const failing = { ...files, remove: () => Promise.reject(new Error('The disk is away')) }
    await assert.rejects(deletePendingFiles(storage, failing), /away/)
    await runToEnd(deletePendingFiles(storage, files))
    assert.ok(!existsSync(pathOf(gone)))
  })

  test(`a file that cannot be deleted does not delay others (${engine})`, async () => {
    const home = await setUp()
    const { storage, files, attach, pathOf } = home
    await runToEnd(deletePendingFiles(storage, files))
    const [stuck, gone] = [await attach(), await attach()]
    for (const id of [stuck, gone]) await removeForever(home, id)
    const remove = (key: string) =>
      key.endsWith(stuck) ? Promise.reject(new Error('It is held')) : files.remove(key)
    const step = deletePendingFiles(storage, { ...files, remove })
    await assert.rejects(step(), /held/)
    await assert.rejects(step(), /held/)
    assert.deepEqual([existsSync(pathOf(stuck)), existsSync(pathOf(gone))], [true, false])
    await runToEnd(deletePendingFiles(storage, files))
    assert.ok(!existsSync(pathOf(stuck)))
  })

  test(`sweeps only the files that a crash has left (${engine})`, async () => {
    const { storage, files, workspace, attach, directory, pathOf } = await setUp()
    const createAged = (path: string, ms: number) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'left')
      utimesSync(path, new Date(), new Date(clock.now() - ms))
      return path
    }
    const kept = await attach()
    utimesSync(pathOf(kept), new Date(), new Date(clock.now() - 2 * DAY))
    const many = Array.from({ length: 150 }, () => createAged(pathOf(newId('att')), 4 * HOUR))
    const gone = [...many, createAged(join(directory, 'drafts', newId('att')), 4 * HOUR)]
    const stays = [
      pathOf(kept),
      createAged(pathOf(newId('att')), 2 * HOUR),
      createAged(join(directory, 'drafts', newId('att')), 2 * HOUR),
      // Of another installation that shares the bucket, and of no installation.
      createAged(join(directory, newId('wsp'), newId('att')), 4 * HOUR),
      createAged(pathOf('README'), 4 * HOUR),
    ]
    await runToEnd(sweepOrphanedFiles(storage, files))
    assert.deepEqual(
      stays.filter((path) => !existsSync(path)),
      [],
    )
    assert.deepEqual(
      gone.filter((path) => existsSync(path)),
      [],
    )
    assert.equal(readdirSync(join(directory, workspace)).length, 3)
    await assertCountersMatchRows(storage, workspace)
  })
}
