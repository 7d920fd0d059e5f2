import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Manifest } from '#backup/manifest.ts'
import { checkBackup, restoreBackup } from '#backup/restore.ts'
import { SENT_FROM_NOWHERE } from '#delivery/home.ts'
import { answerOf, docket } from '../cli/run.ts'
import { emptyDir } from '../support/dir.ts'
import { ENGINES } from '../support/engines.ts'
import { end, type Running, SECRET, settle, start } from '../support/process.ts'
import { contentOf, emptyPlace, load } from '../support/saved.ts'
import { until } from '../support/until.ts'

const place = emptyDir()
const started: Running[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})
const quiet = () => {}

for (const engine of ENGINES) {
  test(`a backup under load is whole, and fills an empty place (${engine})`, async () => {
    const from = await emptyPlace(engine)
    const { DOCKET_DATA_DIR: dataDir = '' } = from
    const home = await settle(dataDir, from)
    const server = await start(dataDir, { env: from })
    started.push(server)
    const writing = load(server.port, home)
    await until('writes', () => writing.acked.length > 5)
    const before = [...writing.acked]
    const backup = join(mkdtempSync(join(place, 'b-')), 'one')
    const made = await answerOf<{ backup: string; secret: string; attachments: object }>(
      from,
      ...['backup', '--to', backup],
    )
    await writing.stop()
    assert.equal(await end(server, 'SIGTERM'), 0)
    assert.deepEqual([made.backup, made.secret], [backup, 'apart'])
    assert.partialDeepStrictEqual(made.attachments, { missing: 0, kept: 'here' } as object)

    const to = await emptyPlace(engine)
    const restored = await answerOf<object>(to, 'restore', '--from', backup)
    assert.partialDeepStrictEqual(restored, { secret: 'set', sending: false } as object)
    const there = await contentOf(to, home)
    const here = await contentOf(from, home, there.last)
    assert.deepEqual([there.last, there.events], [here.last, here.events])
    assert.ok(before.length > 5 && here.tasks.length > there.tasks.length, 'it was under load')
    const found = new Set(there.tasks)
    assert.deepEqual(
      before.filter((id) => !found.has(id)),
      [],
      'nothing acknowledged is lost',
    )

    const { DOCKET_DATA_DIR: restoredTo = '', DOCKET_DATABASE_URL: databaseUrl } = to
    const again = restoreTo(backup, restoredTo, databaseUrl)
    await assert.rejects(again, { code: 'store_not_empty' })
    const copy = await start(restoredTo, { env: to })
    started.push(copy)
    assert.equal(await sendingOf(copy), '0')
    assert.deepEqual(await answerOf<object>(to, 'webhook', 'resume'), { sending: true })
    await until('the sending', async () => (await sendingOf(copy)) === '1')
    const more = load(copy.port, home, 3)
    await more.done
    assert.equal(await end(copy, 'SIGTERM'), 0)
    await contentOf(to, home)
  })
}

const sendingOf = async ({ port }: Running) => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return /^docket_webhook_sending (\d)$/m.exec(metrics)?.[1]
}

/** An installation with some files, and a backup of it. */
async function saved() {
  const env = await emptyPlace('sqlite')
  const { DOCKET_DATA_DIR: dataDir = '' } = env
  const home = await settle(dataDir)
  const server = await start(dataDir)
  started.push(server)
  await load(server.port, home, 4).done
  await end(server, 'SIGTERM')
  const root = mkdtempSync(join(place, 's-'))
  await answerOf(env, 'backup', '--to', join(root, 'one'), '--with-secret')
  return { env, dataDir, home, root, backup: join(root, 'one') }
}

const made = saved()

function restoreTo(from: string, dataDir: string, databaseUrl?: string) {
  const place = { dataDir, databaseUrl, bucket: false, secret: SECRET, values: SENT_FROM_NOWHERE }
  return restoreBackup(from, place, quiet)
}

test('a byte that is another, or a file that is gone, is found in every file of a backup', async () => {
  const { backup } = await made
  await checkBackup(backup, quiet)
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
    await assert.rejects(checkBackup(backup, quiet), { code: 'backup_damaged' }, `${path}, cut`)
    writeFileSync(path, good)
  }
  await checkBackup(backup, quiet)
})

test('a row that is gone is found, though every sum is right', async () => {
  const { backup, root } = await made
  const forged = join(root, 'forged')
  cpSync(backup, forged, { recursive: true })
  const database = join(forged, 'docket.db')
  const db = new DatabaseSync(database)
  db.exec('delete from events where sequence = (select max(sequence) from events)')
  db.close()
  const [path, sum] = [join(forged, 'SHA256SUMS'), hash('sha256', readFileSync(database))]
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^\w+(?= {2}docket\.db$)/m, sum))
  await assert.rejects(checkBackup(forged, quiet), { message: /^events has not its \d+ rows/ })
})

test('a kill leaves no half backup under its name, and no half restore', async () => {
  const { env, root, backup, home } = await made
  const run = async (words: string[], more: object, ms: number) => {
    const options = { env: { ...process.env, ...env, ...more }, stdio: 'ignore' } as const
    const child = spawn(process.execPath, ['src/cli/main.ts', ...words], options)
    await pause(ms)
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  const [target, restored] = [emptyDir(), join(root, 'restored')]
  for (let at = 0; at < 4; at += 1) {
    const ms = 300 + at * 200
    const to = join(root, `killed-${at}`)
    const others = { DOCKET_DATA_DIR: target }
    await Promise.all([
      run(['backup', '--to', to], {}, ms),
      run(['restore', '--from', backup, '--to-dir', restored], others, ms),
    ])
    if (existsSync(to)) await checkBackup(to, quiet)
  }
  const isThere = existsSync(join(restored, 'docket.db'))
  if (!isThere) await restoreTo(backup, restored)
  await contentOf({ ...env, DOCKET_DATA_DIR: restored }, home)
  await answerOf(env, 'backup', '--to', join(root, 'last'))
  await checkBackup(join(root, 'last'), quiet)
})

test('files that were gone or rotten already are told, and the rest is saved', async () => {
  const { env, dataDir, root, home, backup: earlier } = await made
  const directory = join(dataDir, 'files', home.workspace)
  const [gone = '', rotten = ''] = readdirSync(join(earlier, 'files', home.workspace))
  rmSync(join(directory, gone))
  writeFileSync(join(directory, rotten), '!', { flag: 'r+' })
  const backup = join(root, 'lacking')
  const { code, stdout } = await docket(env, 'backup', '--to', backup, '--json')
  assert.equal(code, 1)
  const { attachments } = JSON.parse(stdout) as { attachments: Manifest['attachments'] }
  const examples = [gone, rotten].map((id) => `${home.workspace}/${id}`)
  assert.deepEqual([attachments.missing, attachments.examples.toSorted()], [2, examples.toSorted()])
  await restoreTo(backup, join(root, 'from-lacking'))
})
