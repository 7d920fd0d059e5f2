import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { checkBackup, restoreBackup } from '#backup/restore-backup.ts'
import { createBackupJob, createBackupNames } from '#backup/scheduled/run-backup.ts'
import { openBackupTarget } from '#backup/targets/backup-target.ts'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { deriveSecretProof } from '#db/installation/open-store.ts'
import { createS3Client } from '#files/s3.ts'
import { runCliJson } from '../cli/run-cli.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'

import { testLog } from '../support/engines/test-docket.ts'
import { type S3Server, startS3Server } from '../support/services/s3.ts'
import { createMemoryTempDir, createTempDir } from '../support/system/temp-dir.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

let store: S3Server
before(async () => {
  store = await startS3Server()
})
after(() => store.end())

const neverAborted = new AbortController().signal
const ignoreProgress = () => {}

test('a backup in a bucket is whole or none, and restores elsewhere', async () => {
  const env = {
    DOCKET_BACKUP_TO: `s3://${store.env.DOCKET_S3_BUCKET}/nightly`,
    ...store.env,
    DOCKET_S3_BUCKET: '',
  }
  const settings = parseConfig(env).backup.plan ?? assert.fail()
  const clock = createTestClock()
  const { storage, config, server } = await openFreshDocket('sqlite', {}, { clock })
  const { dataDir } = config
  const { keys, project, workspace } = await createTestWorkspace(storage)
  const headers = { authorization: `Bearer ${keys.owner}` }
  const create = { method: 'POST', headers, url: '/api/v1/tasks' } as const
  const { id } = (
    await server.inject({ ...create, payload: { project_id: project, title: 'T' } })
  ).json()
  const upload = { ...create, url: `/api/v1/tasks/${id}/attachments?filename=a` }
  const attachment = (await server.inject({ ...upload, payload: randomBytes(50_000) })).json()
  // On another disk, to which a hard link is not possible.
  const files = join(dataDir, 'files')
  const otherDisk = dataDir.startsWith('/dev/shm') ? createTempDir() : createMemoryTempDir()
  cpSync(files, otherDisk, { recursive: true })
  rmSync(files, { recursive: true })
  symlinkSync(otherDisk, files)
  const target = openBackupTarget(settings.place, dataDir)
  const back = (onProgress: (what: string) => void = ignoreProgress) =>
    createBackupJob({
      storage,
      settings,
      secret: TEST_SECRET,
      secretProof: deriveSecretProof(TEST_SECRET),
      passphrase: undefined,
      log: testLog,
      location: { dataDir, databaseUrl: undefined, bucket: false },
      operatorEmail: undefined,
      isCopy: async () => false,
      runTask: (task) => target.store(task.name, task.content, onProgress),
    }).run({
      job: { workspace_id: '', id: 'job_test', payload: {}, secret: undefined, attempts: 1 },
      signal: neverAborted,
      setProgress: ignoreProgress,
      write: (work, actor = ANONYMOUS_ACTOR) => storage.write(actor, work),
    })
  // What a killed process has left: everything but the manifest.
  const { nameAt } = createBackupNames(deriveSecretProof(TEST_SECRET))
  const killed = nameAt(clock.now())
  const client = createS3Client(parseConfig(store.env).s3 ?? assert.fail())
  const leftover = `nightly/${killed}/docket.db`
  await client.request(leftover, { method: 'PUT', body: 'partial' })
  const staging = join(dataDir, 'backup-staging')
  for (const name of [`${killed}.part-1`, 'docket-by-hand.part-1'])
    mkdirSync(join(staging, name), { recursive: true })
  for (const left of ['killed', 'running']) mkdirSync(join(dataDir, `docket-download-${left}`))
  utimesSync(join(dataDir, 'docket-download-killed'), 0, 0)
  assert.deepEqual(await target.list(), [])

  clock.advance(1_000)
  const damaged = nameAt(clock.now())
  const uploaded = store.pathOf(`nightly/${damaged}/docket.db`)
  const failing = back(() => {
    if (existsSync(uploaded)) appendFileSync(uploaded, ' ')
  })
  await assert.rejects(failing, { message: /damaged: .*docket.db differs/ })
  assert.deepEqual(await Array.fromAsync(client.list(`nightly/${damaged}/`)), [])

  clock.advance(1_000)
  const { name } = await back().then(async () => (await target.list()).at(-1) ?? assert.fail())
  assert.deepEqual(
    (await target.list()).map(({ name }) => name),
    [name],
  )
  assert.ok(!existsSync(store.pathOf(leftover)), 'leftovers are gone')
  assert.deepEqual(readdirSync(staging), ['docket-by-hand.part-1'])
  rmSync(staging, { recursive: true })
  const dataDirNames = () => readdirSync(dataDir).filter((name) => !name.startsWith('docket.db'))
  const namesBefore = dataDirNames()
  assert.deepEqual(
    namesBefore.filter((name) => name.includes('download')),
    ['docket-download-running'],
  )
  const temporary = join(createTempDir(), 'temporary')
  const checking = { ...env, DOCKET_DATA_DIR: dataDir, TMPDIR: temporary }
  const checked = await runCliJson<object>(checking, 'restore', '--check', '--from', name)
  assert.partialDeepStrictEqual(checked, { sound: true, engine: 'sqlite' } as object)
  assert.ok(!existsSync(temporary), 'a check needs no room in the temporary directory')
  assert.deepEqual(dataDirNames(), namesBefore, 'nor a staging directory of another user')

  const elsewhere = createTempDir()
  const restored = {
    dataDir: elsewhere,
    bucket: false,
    secret: TEST_SECRET,
    values: {},
    databaseUrl: undefined,
  }
  const local = await target.fetch(name, elsewhere, ignoreProgress)
  await restoreBackup(local.path, restored, ignoreProgress)
  await local.release()
  assert.ok(existsSync(join(elsewhere, 'files', workspace, attachment.id)))
  assert.deepEqual(
    readdirSync(elsewhere).filter((name) => name.includes('download')),
    [],
  )
  // A byte more in the bucket.
  appendFileSync(store.pathOf(`nightly/${name}/manifest.json`), ' ')
  const changed = await target.fetch(name, createTempDir(), ignoreProgress)
  await assert.rejects(checkBackup(changed.path, ignoreProgress), { code: 'backup_damaged' })
  await target.remove(name)
  const old = await Array.fromAsync(client.list(`nightly/${name}/`))
  assert.deepEqual(old, [], 'nothing is left of one that was removed')
})

test('uploads a large file in parts', async () => {
  const client = createS3Client(parseConfig(store.env).s3 ?? assert.fail(), 1_000_000)
  const path = join(createTempDir(), 'large')
  const bytes = randomBytes(2_500_000)
  writeFileSync(path, bytes)
  await client.put('large', { path, size: bytes.length })
  const reply = await client.request('large')
  assert.ok(Buffer.from(await reply.arrayBuffer()).equals(bytes))
  const [object] = await Array.fromAsync(client.list('larg'))
  assert.equal(object?.key, 'large')
})
