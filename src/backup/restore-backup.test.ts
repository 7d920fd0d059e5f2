import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { createEmptyDatabase } from '#test/support/engines/test-database.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createMemoryTempDir } from '#test/support/system/temp-dir.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { parseConfig } from '../config/config.ts'
import type { BackupContent, BackupSecret } from './create-backup.ts'
import { restoreBackup, sealSecret } from './restore-backup.ts'
import {
  loadBackupState,
  updateBackupState,
  type WriteBackupState,
} from './scheduled/backup-records.ts'
import { openBackupTarget } from './targets/backup-target.ts'

const PASSPHRASE = 'a passphrase of the tests'
const sealed = sealSecret(TEST_SECRET, PASSPHRASE)
const ignoreProgress = () => {}

/** No row before the first restore. */
const changeHistory = unscopedQuery((db) =>
  db.selectFrom('installation').select('value').where('name', '=', 'change_history'),
)

/** An empty installation without a secret. */
async function createEmptyTarget(engine: DatabaseEngine) {
  const databaseUrl = engine === 'postgres' ? (await createEmptyDatabase()).url : undefined
  const dataDir = createMemoryTempDir()
  const place = {
    DOCKET_DATA_DIR: dataDir,
    ...(databaseUrl !== undefined && { DOCKET_DATABASE_URL: databaseUrl }),
  }
  return {
    dataDir,
    secretPath: join(dataDir, 'secret'),
    restore: (from: string, passphrase?: string) =>
      restoreBackup(
        from,
        { dataDir, databaseUrl, bucket: false, secret: undefined, passphrase, values: {} },
        ignoreProgress,
      ),
    /** Opens the store as a start of the server does. */
    async start(secret?: string) {
      const env = { ...place, ...(secret !== undefined && { DOCKET_SECRET: secret }) }
      const { storage, secret: used } = await openStore({ ...parseConfig(env), isServing: true })
      const state = await loadBackupState(storage)
      const history = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(changeHistory, {}))
      await storage.close()
      assert.ok(history, 'positions of the original are not those of the copy')
      assert.deepEqual(state, {}, 'the backups of the original are not those of the copy')
      return used
    },
    /** The files, without those in which SQLite coordinates readers. */
    files: () =>
      readdirSync(dataDir)
        .filter((name) => !/-(shm|wal)$/.test(name))
        .toSorted(),
  }
}

for (const engine of ENGINES) {
  const setUp = async (secret: BackupSecret | undefined, env = {}) => {
    const { storage, config } = await openFreshDocket(engine, env)
    await createTestWorkspace(storage)
    const state = { slot: '2040-01-01T00:00:00.000Z' }
    const write: WriteBackupState = (work) => storage.write(ANONYMOUS_ACTOR, work)
    await updateBackupState(write, async () => state)
    const { dataDir, databaseUrl } = config
    const to = join(createMemoryTempDir(), 'backup')
    const location = { dataDir, databaseUrl, bucket: false }
    const content: BackupContent = {
      ...{ location, madeAt: '2040-01-01T00:00:00.000Z', kind: 'manual' },
      ...{ secret, linksFiles: false },
    }
    const place = { kind: 'directory', path: to } as const
    await openBackupTarget(place, dataDir).store('made', content, ignoreProgress)
    return { from: join(to, 'made'), target: await createEmptyTarget(engine) }
  }

  test(`a backup with a sealed secret starts elsewhere with the passphrase alone (${engine})`, async () => {
    const { from, target } = await setUp({ form: 'sealed', text: await sealed })
    for (const path of readdirSync(from)) {
      if (path === 'tables') continue
      assert.ok(!readFileSync(join(from, path)).includes(TEST_SECRET), path)
    }
    await assert.rejects(target.restore(from), { code: 'secret_missing' })
    await assert.rejects(target.restore(from, `${PASSPHRASE}!`), { code: 'wrong_passphrase' })
    assert.ok(!existsSync(target.secretPath))
    const { secret } = await target.restore(from, PASSPHRASE)
    assert.equal(secret, 'in the data directory')
    assert.equal(await target.start(), TEST_SECRET)
  })

  test(`a restore replaces nothing, and begins beside no log of another database (${engine})`, async () => {
    const { from, target } = await setUp(undefined)
    const files = engine === 'sqlite' ? ['docket.db', 'docket.db-wal', 'docket.db-shm'] : []
    for (const name of [...files, 'files/wsp_1/att_1']) {
      const path = join(target.dataDir, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'of another')
      await assert.rejects(target.restore(from), { code: 'store_not_empty' }, name)
      assert.equal(readFileSync(path, 'utf8'), 'of another')
      rmSync(name.startsWith('files') ? join(target.dataDir, 'files') : path, { recursive: true })
    }
    await target.restore(from)
    const restored = target.files()
    await assert.rejects(target.restore(from), { code: 'store_not_empty' })
    assert.deepEqual(target.files(), restored)
    assert.equal(await target.start(TEST_SECRET), TEST_SECRET)
  })

  // Where the secret lies is a matter of files.
  if (engine !== 'sqlite') continue

  test(`a start without the secret of the data says so and writes nothing (${engine})`, async () => {
    const { from, target } = await setUp(undefined)
    const { secret } = await target.restore(from)
    assert.equal(secret, 'missing')
    const before = target.files()
    await assert.rejects(target.start(), {
      message: /^The secret .* is missing\. Put the secret in .*secret, or set DOCKET_SECRET/,
    })
    await assert.rejects(target.start('not the secret of the tests'), {
      message: /^DOCKET_SECRET is not the secret that this database was created with\. Set it/,
    })
    assert.deepEqual(target.files(), before)
    assert.equal(await target.start(TEST_SECRET), TEST_SECRET)
    writeFileSync(target.secretPath, `\n${TEST_SECRET} \n\n`)
    assert.equal(await target.start(), TEST_SECRET, 'whitespace around it does not count')
  })

  test(`a restore finds the secret of an older backup among the former ones (${engine})`, async () => {
    const { from, target } = await setUp(undefined)
    const former = `${target.secretPath}.former-2026-03-01T09-30-00.000Z`
    writeFileSync(`${target.secretPath}.former-2026-02-01T09-30-00.000Z`, 'an even older secret\n')
    writeFileSync(former, `${TEST_SECRET}\n`)
    writeFileSync(target.secretPath, 'the secret of today\n')
    await assert.rejects(target.restore(from), {
      code: 'other_secret',
      message: `${target.secretPath} is not the secret of this backup. It is in ${former}.`,
    })
    rmSync(target.secretPath)
    const { secret } = await target.restore(from)
    assert.equal(secret, 'in the data directory')
    assert.equal(await target.start(), TEST_SECRET)
  })

  test(`a secret with whitespace at its ends is valid after a restore (${engine})`, async () => {
    const spaced = ` ${TEST_SECRET}\n`
    const { from, target } = await setUp({ form: 'here', text: spaced }, { DOCKET_SECRET: spaced })
    await target.restore(from)
    assert.equal(await target.start(), spaced)
    const other = await createEmptyTarget(engine)
    cpSync(target.secretPath, other.secretPath)
    await other.restore(from)
    assert.equal(await other.start(), spaced)
  })
}
