import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import type { BackupManifest } from '#backup/backup-files.ts'
import { checkBackup, restoreBackup } from '#backup/restore-backup.ts'
import { SENDING_PAUSED_VALUES } from '#webhooks/installation-id.ts'
import { CLI_ENTRY } from '../cli/run-cli.ts'
import { runHostedCli, runHostedCliJson } from '../cli/run-hosted-cli.ts'
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

const place = createTempDir()
const started: ServerProcess[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})
const ignoreProgress = () => {}

/** Creates an installation with some files, and a backup of it. */
async function createBackup() {
  const env = await createEmptyInstallation('sqlite')
  const { DOCKET_DATA_DIR: dataDir = '' } = env
  const team = await seedDataDir(dataDir)
  const server = await startServer(dataDir)
  started.push(server)
  await startWriteLoad(server.port, team, 4).done
  await endServer(server, 'SIGTERM')
  const root = mkdtempSync(join(place, 's-'))
  const backup = await backUp(env, join(root, 'manual'), '--with-secret')
  return { env, dataDir, team, root, backup }
}

/** Makes a backup in a directory, and returns its path. */
async function backUp(env: Record<string, string>, to: string, ...words: string[]) {
  const made = await runHostedCliJson<{ backup: string }>(env, 'backup', '--to', to, ...words)
  return made.backup
}

const backedUp = createBackup()

function restoreTo(from: string, dataDir: string) {
  const place = {
    dataDir,
    databaseUrl: undefined,
    bucket: false,
    secret: TEST_SECRET,
    values: SENDING_PAUSED_VALUES,
  }
  return restoreBackup(from, place, ignoreProgress)
}

test('no other user of the machine can read a file of the data directory or of a backup', async () => {
  const { dataDir, backup } = await backedUp
  for (const directory of [dataDir, backup]) {
    const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    const readable = files
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => (statSync(path).mode & 0o077) !== 0)
    assert.ok(files.length > 4)
    assert.deepEqual(readable, [])
  }
})

test('detects a changed byte and a truncated file in every file of a backup', async () => {
  const { backup } = await backedUp
  await checkBackup(backup, ignoreProgress)
  const files = readdirSync(backup, { recursive: true, withFileTypes: true })
  const kinds = new Map<string, string>()
  for (const { name, parentPath } of files.filter((one) => one.isFile())) {
    kinds.set(name.slice(0, 4), join(parentPath, name))
  }
  assert.deepEqual([...kinds.keys()].toSorted(), ['SHA2', 'att_', 'dock', 'mani', 'secr'])
  for (const path of kinds.values()) {
    const good = readFileSync(path)
    for (const at of [0, good.length >> 1]) {
      const bad = Buffer.from(good)
      bad[at] = (bad[at] ?? 0) ^ 1
      writeFileSync(path, bad)
      const dataDir = mkdtempSync(join(place, 'r-'))
      await assert.rejects(restoreTo(backup, dataDir), { code: 'backup_damaged' }, `${path} ${at}`)
      assert.ok(!existsSync(join(dataDir, 'docket.db')))
      rmSync(dataDir, { recursive: true })
    }
    writeFileSync(path, good.subarray(0, -40))
    await assert.rejects(
      checkBackup(backup, ignoreProgress),
      { code: 'backup_damaged' },
      `${path}, cut`,
    )
    writeFileSync(path, good)
  }
  await checkBackup(backup, ignoreProgress)
})

test('a restore that was killed and then failed can be started again', async () => {
  const { backup, root } = await backedUp
  const dataDir = mkdtempSync(join(place, 'r-'))
  // The files are on a disk of their own, which the restore must not replace.
  const [disk, files] = [createTempDir(), join(dataDir, 'files')]
  symlinkSync(disk, files)
  mkdirSync(join(disk, 'lost+found'))
  await assert.rejects(restoreTo(join(root, 'none'), dataDir), { code: 'backup_damaged' })
  // What a killed restore has left.
  mkdirSync(join(dataDir, 'restoring'))
  cpSync(join(backup, 'files'), disk, { recursive: true })
  const damaged = join(root, 'cut')
  cpSync(backup, damaged, { recursive: true })
  rmSync(join(damaged, 'docket.db'))
  await assert.rejects(restoreTo(damaged, dataDir), { code: 'backup_damaged' })
  assert.deepEqual(readdirSync(disk), ['lost+found'])
  await restoreTo(backup, dataDir)
  const listFiles = (directory: string) => readdirSync(directory, { recursive: true }).toSorted()
  assert.deepEqual(
    listFiles(disk).filter((path) => path !== 'lost+found'),
    listFiles(join(backup, 'files')),
  )
  assert.ok(lstatSync(files).isSymbolicLink() && !existsSync(join(dataDir, 'restoring')))
})

test('detects a missing row even if every checksum is right', async () => {
  const { backup, root } = await backedUp
  const forged = join(root, 'forged')
  cpSync(backup, forged, { recursive: true })
  const database = join(forged, 'docket.db')
  const db = new DatabaseSync(database)
  db.exec('delete from events where sequence = (select max(sequence) from events)')
  db.close()
  const [path, sum] = [join(forged, 'SHA256SUMS'), hash('sha256', readFileSync(database))]
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^\w+(?= {2}docket\.db$)/m, sum))
  await assert.rejects(checkBackup(forged, ignoreProgress), {
    message: /^events does not have \d+ rows/,
  })
})

test('`backup` without --to makes a backup in the target of the settings and checks it', async () => {
  const { env, dataDir, root } = await backedUp
  const target = { ...env, DOCKET_BACKUP_TO: join(root, 'target') }
  const { backup } = await runHostedCliJson<{ backup: string }>(target, 'backup')
  const { data } = await runHostedCliJson<{ data: { name: string }[] }>(target, 'backup', 'list')
  const [first = assert.fail(), ...others] = data
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(first, {
    name: basename(backup),
    kind: 'manual',
    engine: 'sqlite',
    secret: 'apart',
  } as object)
  const checked = await runHostedCliJson<object>(target, 'restore', '--check', '--from', first.name)
  assert.partialDeepStrictEqual(checked, { sound: true } as object)
  const { code, stderr } = await runHostedCli(env, 'backup')
  assert.equal(code, 2)
  assert.match(stderr, /^Missing required: --to, or set DOCKET_BACKUP_TO/)
  const copy = { ...target, DOCKET_DATA_DIR: join(root, 'copy') }
  cpSync(dataDir, copy.DOCKET_DATA_DIR, { recursive: true })
  const settings = ['BUCKET', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']
  const bucket = Object.fromEntries(settings.map((name) => [`DOCKET_S3_${name}`, 'shared']))
  const resuming = { ...copy, ...bucket, DOCKET_S3_ENDPOINT: 'http://127.0.0.1' }
  assert.match((await runHostedCli(resuming, 'webhook', 'resume')).stderr, /in the bucket/)
})

test('`backup --to` makes a directory of its own each time, which `backup list` finds', async () => {
  const { env, root } = await backedUp
  const to = join(root, 'new', 'place')
  const first = await backUp(env, to)
  await waitUntil('another second', () => !existsSync(nameNow(to)))
  const second = await backUp(env, to)
  assert.deepEqual([dirname(first), dirname(second)], [to, to])
  const { data } = await runHostedCliJson<{ data: { name: string; kind: string }[] }>(
    env,
    ...['backup', 'list', '--from', to],
  )
  assert.deepEqual(
    data.map(({ name, kind }) => [name, kind]),
    [first, second].map((path) => [basename(path), 'manual']),
  )
  await assert.rejects(checkBackup(to, ignoreProgress), {
    message: new RegExp(
      `has no manifest.json.*It has backups in it, such as ${basename(second)}\\.`,
    ),
  })
})

/** Where a backup of this second would be. */
const nameNow = (to: string) =>
  join(to, `docket-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z`)

/** Tells whether a path that starts with `start`, or a file in it, was made since then. */
const wasMade = (start: string, file: string, since: number): boolean =>
  existsSync(dirname(start)) &&
  readdirSync(dirname(start))
    .filter((name) => name.startsWith(basename(start)))
    .map((name) => join(dirname(start), name, file))
    .filter((path) => existsSync(path))
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .some((stats) => stats && stats.birthtimeMs >= since)

test('a kill leaves no partial backup under its name, and no partial restore', async () => {
  const { env, dataDir, root, backup, team } = await backedUp
  /** Kills a command once it has made one of these paths, or a file in it. */
  const runAndKill = async (words: string[], more: object, starts: string[], file: string) => {
    const since = Date.now()
    const options = { env: { ...process.env, ...env, ...more }, stdio: 'ignore' } as const
    const child = spawn(process.execPath, [CLI_ENTRY, ...words], options)
    const ended = once(child, 'exit')
    const hasBegun = () => starts.some((start) => wasMade(start, file, since))
    await waitUntil('a path', () => child.exitCode !== null || hasBegun())
    child.kill('SIGKILL')
    await ended
  }
  const [target, restored] = [createTempDir(), join(root, 'restored')]
  const scheduled = join(root, 'scheduled')
  const copyDataDir = async (file: string) => {
    const copy = join(root, `data-${file}`)
    cpSync(dataDir, copy, { recursive: true })
    await runHostedCliJson({ ...env, DOCKET_DATA_DIR: copy }, 'webhook', 'resume', '--yes')
    return copy
  }
  const restorePaths = ['restoring', 'docket.db'].map((name) => join(restored, name))
  for (const file of ['', 'docket.db']) {
    const to = join(root, `killed-${file}`)
    const copy = { DOCKET_DATA_DIR: await copyDataDir(file), DOCKET_BACKUP_TO: scheduled }
    const restore = ['restore', '--from', backup, '--to-dir', restored]
    const others = { DOCKET_DATA_DIR: target }
    await Promise.all([
      runAndKill(['backup', '--to', to], {}, [join(to, 'docket-')], file),
      runAndKill(['backup'], copy, [join(scheduled, 'docket-')], file),
      runAndKill(restore, others, restorePaths, file),
    ])
    for (const name of existsSync(to) ? readdirSync(to) : []) {
      if (!name.includes('.part-')) await checkBackup(join(to, name), ignoreProgress)
    }
  }
  const listed = await runHostedCliJson<{ data: { name: string }[] }>(
    env,
    'backup',
    'list',
    '--from',
    scheduled,
  )
  for (const { name } of listed.data) await checkBackup(join(scheduled, name), ignoreProgress)
  const isThere = existsSync(join(restored, 'docket.db'))
  if (!isThere) await restoreTo(backup, restored)
  await readWorkspaceContent({ ...env, DOCKET_DATA_DIR: restored }, team)
  await checkBackup(await backUp(env, join(root, 'last')), ignoreProgress)
})

test('reports missing and damaged attachments, and backs up the rest', async () => {
  const { env, dataDir, root, team, backup: earlier } = await backedUp
  const directory = join(dataDir, 'files', team.workspace)
  const [gone = '', rotten = ''] = readdirSync(join(earlier, 'files', team.workspace))
  rmSync(join(directory, gone))
  writeFileSync(join(directory, rotten), '!', { flag: 'r+' })
  const to = join(root, 'lacking')
  const { code, stdout } = await runHostedCli(env, 'backup', '--to', to, '--json')
  assert.equal(code, 1)
  const { attachments, backup } = JSON.parse(stdout) as {
    backup: string
    attachments: BackupManifest['attachments']
  }
  const examples = [gone, rotten].map((id) => `${team.workspace}/${id}`)
  assert.deepEqual([attachments.missing, attachments.examples.toSorted()], [2, examples.toSorted()])
  await restoreTo(backup, join(root, 'from-lacking'))
})
