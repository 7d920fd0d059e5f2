import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { queryOfAll } from '#storage/statement.ts'
import { docket } from '../cli/run.ts'
import { remnants } from '../experiments/secrets.ts'
import { newTenant } from '../experiments/tenants.ts'
import { made } from '../experiments/world/call.ts'
import { withPassword } from '../support/account.ts'
import { docketOn, ENGINES, type Served } from '../support/engines.ts'
import { freshDocket } from '../support/fresh.ts'
import { sessionOf } from '../support/session.ts'
import { contentOf, exported, imported, newName } from './support.ts'

for (const engine of ENGINES) {
  test(`an archive has no secret, and nothing of another workspace (${engine})`, async () => {
    const served = await docketOn(engine)
    const { storage, server } = served
    const [a, b] = [await newTenant(served, 'a'), await newTenant(served, 'b')]
    await withPassword(storage, a.home, 'owner')
    const session = await sessionOf(storage, a.home, 'owner')
    const key = a.home.keys.owner
    const hook = { url: 'https://example.com/hook', events: ['*'], secret: 'CANARY-whsec-1' }
    await made(server, key, { method: 'POST', url: '/api/v1/webhooks', body: hook })
    const headers = { 'idempotency-key': 'CANARY-idempotency' }
    const body = { project_id: a.home.project, title: 'Once' }
    await made(server, key, { method: 'POST', url: '/api/v1/tasks', body, headers })

    const { archive } = await exported(served, a.home.workspace)
    const places = Object.fromEntries(await contentOf(archive))
    const secrets = [
      ...Object.values(a.home.keys),
      ...[session.value, hook.secret, headers['idempotency-key']],
      ...(await keptSecrets(served)),
    ]
    assert.ok(secrets.length > 12)
    assert.deepEqual(remnants(places, secrets), [])
    const others = [b.mark, b.home.workspace, b.home.project, ...Object.values(b.home.people)]
    assert.deepEqual(remnants(places, [...others, ...Object.values(b.records)]), [])
    // The same look finds what is there.
    assert.ok(remnants(places, [a.mark]).length > 5)
  })
}

/** Every hash and every sealed text that the store keeps. */
const keptSecrets = ({ storage }: Served) =>
  storage.read(NOBODY, async (tx) => {
    const found = await Promise.all(KEPT.map((one) => tx.all(one, {})))
    return found
      .flat()
      .flatMap(({ secret }) => (secret !== null && secret.length > 8 ? [secret] : []))
  })
const KEPT = [
  queryOfAll((db) => db.selectFrom('users').select('password_hash as secret')),
  queryOfAll((db) => db.selectFrom('api_keys').select('hash as secret')),
  queryOfAll((db) => db.selectFrom('sessions').select('hash as secret')),
  queryOfAll((db) => db.selectFrom('webhooks').select('sealed_secret as secret')),
  queryOfAll((db) => db.selectFrom('applications').select('secret_hash as secret')),
  queryOfAll((db) => db.selectFrom('invitations').select('hash as secret')),
]

test('files that are gone or rotten are told, and stay known as lost', async () => {
  const served = await docketOn('sqlite')
  const { home, records, spare } = await newTenant(served, 'c')
  const directory = join(served.config.dataDir, 'files', home.workspace)
  const [gone, rotten] = [records.attachments ?? '', spare.attachments ?? '']
  rmSync(join(directory, gone))
  writeFileSync(join(directory, rotten), '!', { flag: 'r+' })
  const env = {
    DOCKET_DATA_DIR: served.config.dataDir,
    DOCKET_SECRET: served.config.secret ?? '',
  }
  const to = newName()
  const ran = await docket(env, 'export', '--workspace', home.workspace, '--to', to, '--json')
  assert.equal(ran.code, 1)
  const { files, sha256 } = JSON.parse(ran.stdout)
  assert.deepEqual([files.count, files.lost], [2, 2])
  assert.deepEqual(files.lost_examples, [gone, rotten].toSorted())
  assert.match(sha256, /^[0-9a-f]{64}$/)
  const there = await freshDocket('sqlite')
  const came = await imported(there, to)
  assert.deepEqual(came.files, { here: 2, lost: 2 })
  const { manifest } = await exported(there, home.workspace)
  assert.deepEqual(manifest.files.lost, 2)
  const taken = await docket(env, 'export', '--workspace', home.workspace, '--to', to)
  assert.match(taken.stderr, /archive_exists/)
})
