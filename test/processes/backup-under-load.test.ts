import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { restoreBackup } from '#backup/restore-backup.ts'
import { SENDING_PAUSED_VALUES } from '#webhooks/installation-id.ts'
import { runHostedCliJson } from '../cli/run-hosted-cli.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { withAdminClient } from '../support/postgres/standby.ts'
import {
  endServer,
  type ServerProcess,
  seedDataDir,
  startServer,
} from '../support/server/server-process.ts'
import {
  createEmptyInstallation,
  readWorkspaceContent,
  startWriteLoad,
} from '../support/server/write-load.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'

const started: ServerProcess[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})

for (const engine of ENGINES) {
  test(`a backup under load is complete and restores to an empty installation (${engine})`, async () => {
    const from = await createEmptyInstallation(engine)
    const { DOCKET_DATA_DIR: dataDir = '' } = from
    const team = await seedDataDir(dataDir, from)
    const server = await startServer(dataDir, { env: from })
    started.push(server)
    const writing = startWriteLoad(server.port, team)
    await waitUntil('writes', () => writing.acked.length > 5)
    const before = [...writing.acked]
    const backups = join(createTempDir(), 'backups')
    const made = await runHostedCliJson<{ backup: string; secret: string; attachments: object }>(
      from,
      'backup',
      '--to',
      backups,
    )
    // On a busy machine no write may have been acknowledged since the snapshot.
    const acknowledged = writing.acked.length
    await waitUntil('a write after the backup', () => writing.acked.length > acknowledged)
    await writing.stop()
    assert.equal(await endServer(server, 'SIGTERM'), 0)
    const { backup } = made
    assert.deepEqual([dirname(backup), made.secret], [backups, 'apart'])
    assert.partialDeepStrictEqual(made.attachments, { missing: 0, kept: 'here' } as object)

    const to = await createEmptyInstallation(engine)
    const restored = await runHostedCliJson<object>(to, 'restore', '--from', backup)
    assert.partialDeepStrictEqual(restored, { secret: 'set', sending: false } as object)
    const { DOCKET_DATA_DIR: restoredTo = '', DOCKET_DATABASE_URL: databaseUrl } = to
    if (databaseUrl !== undefined) {
      const leases = await withAdminClient(databaseUrl, (admin) =>
        admin.query('select id from dispatchers'),
      )
      assert.deepEqual(leases.rows, [], 'nobody waits for the lease of the server of the backup')
    }
    const restoredContent = await readWorkspaceContent(to, team)
    const sourceContent = await readWorkspaceContent(from, team, restoredContent.last)
    assert.deepEqual(
      [restoredContent.last, restoredContent.events],
      [sourceContent.last, sourceContent.events],
    )
    assert.ok(sourceContent.tasks.length > restoredContent.tasks.length, 'it was under load')
    const restoredTasks = new Set(restoredContent.tasks)
    assert.deepEqual(
      before.filter((id) => !restoredTasks.has(id)),
      [],
      'nothing acknowledged is lost',
    )

    const again = {
      dataDir: restoredTo,
      databaseUrl,
      bucket: false,
      secret: TEST_SECRET,
      values: SENDING_PAUSED_VALUES,
    }
    const secondRestore = restoreBackup(backup, again, () => {})
    await assert.rejects(secondRestore, { code: 'store_not_empty' })
    const copy = await startServer(restoredTo, { env: to })
    started.push(copy)
    assert.equal(await readSendingMetric(copy), '0')
    assert.deepEqual(await runHostedCliJson<object>(to, 'webhook', 'resume', '--yes'), {
      sending: true,
    })
    await waitUntil('the sending', async () => (await readSendingMetric(copy)) === '1')
    const more = startWriteLoad(copy.port, team, 3)
    await more.done
    assert.equal(await endServer(copy, 'SIGTERM'), 0)
    await readWorkspaceContent(to, team)
  })
}

const readSendingMetric = async ({ port }: ServerProcess) => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return /^docket_webhook_sending (\d)$/m.exec(metrics)?.[1]
}
