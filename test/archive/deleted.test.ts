import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { endOfDeleted, jobsOf, makeArchive } from '#archive/background.ts'
import { NOBODY } from '#core/actor.ts'
import { openFiles } from '#files/open.ts'
import { deleteWorkspace, restoreWorkspace } from '#identity/deletion.ts'
import type { Export } from '#resources/exports/internal.ts'
import { removeDoomed } from '#upkeep/files.ts'
import { newAddress } from '../support/browser.ts'
import { docketOn, ENGINES, log } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { sessionOf } from '../support/session.ts'

for (const engine of ENGINES) {
  test(`an archive goes with its workspace, made or not (${engine})`, async () => {
    const { storage, server, config } = await docketOn(engine)
    const home = await newHome(storage)
    const files = openFiles(config)
    const owner = { ...NOBODY, workspace_id: home.workspace, role: 'owner' as const }
    const remove = () => storage.write(owner, deleteWorkspace)
    const restore = () => storage.write(owner, restoreWorkspace)
    const { headers } = await sessionOf(storage, home, 'owner', config.baseUrl)
    const ask = async (method: 'GET' | 'POST') => {
      const asked = { method, url: '/internal/exports', headers, remoteAddress: newAddress() }
      return server.inject(asked)
    }
    const latest = async () => ((await ask('GET')).json() as { data: Export[] }).data[0]
    const begun = async () => {
      const { id } = (await ask('POST')).json() as Export
      return (await jobsOf(storage)).find((one) => one.id === id) ?? assert.fail()
    }
    const left = async () => {
      while (await removeDoomed(storage, files)());
      const found: string[] = []
      for await (const { key } of files.list()) if (key.startsWith(home.workspace)) found.push(key)
      return found
    }

    await makeArchive({ storage, files, log }, 'one', await begun())
    assert.equal((await latest())?.status, 'ready')
    assert.equal((await left()).length, 1)
    await remove()
    await endOfDeleted(storage)
    assert.deepEqual(await left(), [])
    await restore()
    assert.equal((await latest())?.status, 'expired')

    // It is deleted when the archive is whole, and not offered yet.
    const job = await begun()
    const late: typeof files = Object.create(files, {
      put: {
        value: async (...put: Parameters<typeof files.put>) => {
          await remove()
          return files.put(...put)
        },
      },
    })
    await makeArchive({ storage, files: late, log }, 'one', job)
    assert.deepEqual(await left(), [])
    assert.deepEqual(
      (await jobsOf(storage)).filter(({ id }) => id === job.id),
      [],
    )
    await endOfDeleted(storage)
    await restore()
    const over = await latest()
    assert.deepEqual([over?.status, over?.size_bytes], ['failed', 0])
    assert.match(over?.error ?? '', /deleted/)
    // Nor does anything half done lie about.
    assert.deepEqual(
      readdirSync(config.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes('.tar'),
      ),
      [],
    )
  })
}
