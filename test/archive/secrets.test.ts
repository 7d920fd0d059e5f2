import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { runHostedCli } from '../cli/run-hosted-cli.ts'
import { findSecrets } from '../secrets/secrets.ts'
import { callApiForJson } from '../support/api/call-api.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { setTestPassword } from '../support/world/test-password.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTenant } from '../tenants-and-roles/tenants.ts'
import { exportArchive, importArchive, newArchivePath, readArchiveFiles } from './archive-files.ts'

for (const engine of ENGINES) {
  test(`an archive contains no secrets and no data of other workspaces (${engine})`, async () => {
    const served = await openTestDocket(engine)
    const { storage, server } = served
    const [a, b] = [await createTenant(served, 'a'), await createTenant(served, 'b')]
    await setTestPassword(storage, a.team, 'owner')
    const session = await createTestSession(storage, a.team, 'owner')
    const key = a.team.keys.owner
    const hook = { url: 'https://example.com/hook', events: ['*'], secret: 'CANARY-whsec-1' }
    await callApiForJson(server, key, { method: 'POST', url: '/api/v1/webhooks', body: hook })
    const headers = { 'idempotency-key': 'CANARY-idempotency' }
    const body = { project_id: a.team.project, title: 'Once' }
    await callApiForJson(server, key, { method: 'POST', url: '/api/v1/tasks', body, headers })

    const { archive } = await exportArchive(served, a.team.workspace)
    const archiveFiles = Object.fromEntries(await readArchiveFiles(archive))
    const secrets = [
      ...Object.values(a.team.keys),
      session.value,
      hook.secret,
      headers['idempotency-key'],
      ...(await storedSecrets(served)),
    ]
    assert.ok(secrets.length > 12)
    assert.deepEqual(findSecrets(archiveFiles, secrets), [])
    const others = [b.mark, b.team.workspace, b.team.project, ...Object.values(b.team.people)]
    assert.deepEqual(findSecrets(archiveFiles, [...others, ...Object.values(b.records)]), [])
    // Control: the same search finds data of this workspace.
    assert.ok(findSecrets(archiveFiles, [a.mark]).length > 5)
  })
}

/** Every hash and every encrypted secret in the database. */
const storedSecrets = ({ storage }: TestDocket) =>
  storage.read(ANONYMOUS_ACTOR, async (tx) => {
    const rows = await Promise.all(SECRET_QUERIES.map((one) => tx.all(one, {})))
    return rows
      .flat()
      .flatMap(({ secret }) => (secret !== null && secret.length > 8 ? [secret] : []))
  })
const SECRET_QUERIES = [
  unscopedQuery((db) => db.selectFrom('users').select('password_hash as secret')),
  unscopedQuery((db) => db.selectFrom('api_keys').select('hash as secret')),
  unscopedQuery((db) => db.selectFrom('sessions').select('hash as secret')),
  unscopedQuery((db) => db.selectFrom('webhooks').select('sealed_secret as secret')),
  unscopedQuery((db) => db.selectFrom('applications').select('secret_hash as secret')),
  unscopedQuery((db) => db.selectFrom('invitations').select('hash as secret')),
]

test('an export reports missing and corrupted files as lost', async () => {
  const served = await openTestDocket('sqlite')
  const { team, records, spare } = await createTenant(served, 'c')
  const directory = join(served.config.dataDir, 'files', team.workspace)
  const [gone, corrupted] = [records.attachments ?? '', spare.attachments ?? '']
  rmSync(join(directory, gone))
  writeFileSync(join(directory, corrupted), '!', { flag: 'r+' })
  const env = {
    DOCKET_DATA_DIR: served.config.dataDir,
    DOCKET_SECRET: served.config.secret ?? '',
  }
  const to = newArchivePath()
  const ran = await runHostedCli(env, 'export', '--workspace', team.workspace, '--to', to, '--json')
  assert.equal(ran.code, 1)
  const { files, sha256 } = JSON.parse(ran.stdout)
  assert.deepEqual([files.count, files.lost], [2, 2])
  assert.deepEqual(files.lost_examples, [gone, corrupted].toSorted())
  assert.match(sha256, /^[0-9a-f]{64}$/)
  const there = await openFreshDocket('sqlite')
  const importResult = await importArchive(there, to)
  assert.deepEqual(importResult.files, { here: 2, lost: 2 })
  const { manifest } = await exportArchive(there, team.workspace)
  assert.deepEqual(manifest.files.lost, 2)
  const secondExport = await runHostedCli(env, 'export', '--workspace', team.workspace, '--to', to)
  assert.match(secondExport.stderr, /archive_exists/)
})
