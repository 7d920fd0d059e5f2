import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { checkBackup } from '#backup/restore-backup.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { JobError, JobLeaseLost } from '#core/job.ts'
import type { Email } from '#core/mailer.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { deriveSecretProof } from '#db/installation/open-store.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { createJobWorker } from '#jobs/queue/job-worker.ts'
import { openFreshStore } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { createMemoryTempDir } from '#test/support/system/temp-dir.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { parseConfig } from '../../config/config.ts'
import { createBackupJobs, createEmailJobs } from '../../server/jobs.ts'
import { openBackupTarget } from '../targets/backup-target.ts'
import { createBackupMetrics, loadBackupState, recordLostBackup } from './backup-records.ts'
import {
  createBackupJob,
  createBackupScheduler,
  enqueueDueBackup,
  type RunBackupTask,
  runBackupProcess,
  type ScheduledBackupDeps,
} from './run-backup.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** A Sunday. */
const START = '2040-01-01T12:00:00Z'

/** Makes the backup in this process, which is faster. */
const runHere: RunBackupTask = ({ place, name, content }) =>
  openBackupTarget(place, content.location.dataDir).store(name, content, () => {})

/** Makes one attempt, as a worker that has claimed the job. */
const attemptBackup = (deps: ScheduledBackupDeps, signal = new AbortController().signal) =>
  createBackupJob(deps).run({
    job: { workspace_id: '', id: 'job_test', payload: {}, secret: undefined, attempts: 1 },
    signal,
    setProgress() {},
    write: (work, actor = ANONYMOUS_ACTOR) => deps.storage.write(actor, work),
  })

/** An installation whose backups and time a test controls. */
async function setUp(engine: DatabaseEngine, env: Record<string, string> = {}) {
  const clock = createTestClock()
  clock.set(Date.parse(START))
  const { storage, config } = await openFreshStore(engine, clock)
  const place = createMemoryTempDir()
  const settings =
    parseConfig({ DOCKET_BACKUP_TO: place, DOCKET_BACKUP_SCHEDULE: 'daily', ...env }).backup.plan ??
    assert.fail()
  const schedule = settings.schedule ?? assert.fail()
  const registry = new Registry()
  const deps: ScheduledBackupDeps = {
    storage,
    settings,
    passphrase: undefined,
    operatorEmail: 'ops@example.com',
    location: { dataDir: config.dataDir, databaseUrl: config.databaseUrl, bucket: false },
    secret: TEST_SECRET,
    secretProof: deriveSecretProof(TEST_SECRET),
    log: testLog,
    runTask: runHere,
    isCopy: async () => false,
    onOutcome: createBackupMetrics(registry, storage, schedule),
  }
  const emails: Email[] = []
  const mail = { send: async (email: Email) => void emails.push(email) }
  const kinds = [
    createBackupJob(deps),
    ...createEmailJobs(mail, config.baseUrl, deps.operatorEmail),
  ]
  const worker = createJobWorker({ storage, kinds, log: testLog })
  /** Enqueues what is due and runs it with everything that it causes. */
  async function passTime(ms: number): Promise<void> {
    clock.advance(ms)
    await enqueueDueBackup(storage, schedule)
    while ((await worker.runDueJobs()) > 0);
  }
  async function metrics() {
    const text = await registry.metrics()
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    return {
      age: read('docket_backup_age_seconds'),
      size: read('docket_backup_size_bytes'),
      failed: read('docket_backup_failed_attempts'),
      overdue: read('docket_backup_overdue_seconds'),
      successAt: read('docket_backup_last_success_timestamp_seconds'),
      failures: read('docket_backups_total\\{outcome="failed"\\}'),
    }
  }
  const list = () => openBackupTarget(settings.place, config.dataDir).list()
  const times = async () => (await list()).map(({ manifest }) => manifest.made_at.slice(0, 16))
  return { clock, config, storage, deps, place, schedule, emails, passTime, metrics, list, times }
}

for (const engine of ENGINES) {
  test(`makes a backup by the schedule, and one for all times that were missed (${engine})`, async () => {
    const { deps, storage, schedule, passTime, times, list, metrics, place } = await setUp(engine)
    await createBackupScheduler(storage, schedule, async () => true).run()
    assert.deepEqual(await loadBackupState(storage), {}, 'a copy makes none by itself')
    // The job that was making a backup is in it, and a restored server runs it again.
    const copy = { ...deps, isCopy: async () => true }
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      enqueueJob(tx, { kind: 'backup', key: 'scheduled', payload: {} }),
    )
    const jobs = { storage, log: testLog }
    await createJobWorker({ ...jobs, kinds: [createBackupJob(copy)] }).runDueJobs()
    assert.deepEqual(await times(), [], 'nor does a job from the original')
    // Where there is none yet, the first shows at once whether the settings work.
    await passTime(0)
    assert.deepEqual(await times(), ['2040-01-01T12:00'])
    await passTime(13 * HOUR_MS)
    assert.equal((await times()).length, 1, 'nothing before 02:00')
    await Promise.all([1, 2, 3].map(() => enqueueDueBackup(storage, schedule)))
    await passTime(HOUR_MS)
    await passTime(MINUTE_MS)
    assert.deepEqual((await times()).slice(1), ['2040-01-02T02:00'])
    await passTime(5 * DAY_MS)
    await passTime(MINUTE_MS)
    assert.deepEqual((await times()).slice(2), ['2040-01-07T02:01'])
    const backups = await list()
    assert.ok(backups.every(({ manifest }) => manifest.kind === 'scheduled'))
    for (const { name } of backups) await checkBackup(join(place, name), () => {})
    const { age, size, failed, overdue } = await metrics()
    assert.deepEqual([age, failed, overdue], [60, 0, 0])
    assert.ok(size > 100)
    assert.deepEqual(
      (await loadBackupState(storage)).last_success?.name,
      backups.at(-1)?.name,
      deps.settings.place.kind,
    )
  })

  test(`makes backups in a process of its own that can be stopped (${engine})`, async () => {
    const { deps, config, times, storage } = await setUp(engine)
    const wired = { ...config, backup: { ...config.backup, plan: deps.settings } }
    const [registry, isCopy] = [new Registry(), async () => false]
    const jobs = createBackupJobs(wired, storage, TEST_SECRET, testLog, registry, isCopy)
    for (const { run } of jobs.periodic) await run()
    const { kinds } = jobs
    await createJobWorker({
      storage,
      kinds,
      log: testLog,
    }).runDueJobs()
    assert.equal((await times()).length, 1)
    const stopping = new AbortController()
    const runTask: RunBackupTask = (task, signal, onProgress) => {
      const running = runBackupProcess(task, signal, onProgress)
      stopping.abort(new Error('The server stops'))
      return running
    }
    const stopped = attemptBackup({ ...deps, runTask }, stopping.signal)
    await assert.rejects(stopped, { message: 'The server stops' })
    assert.equal((await loadBackupState(storage)).failure, undefined)
  })

  // What follows is decided by files and a clock.
  if (engine !== 'sqlite') continue

  test(`deletes only its own old backups (${engine})`, async () => {
    const { deps, config, place, passTime, list, times } = await setUp(engine, {
      DOCKET_BACKUP_KEEP: '1d',
    })
    const backup = join(place, 'docket-2040-01-01T12-00-00Z')
    await openBackupTarget(deps.settings.place, config.dataDir).store(
      basename(backup),
      {
        ...{ location: deps.location, madeAt: '2040-01-01T12:00:00.000Z', kind: 'manual' },
        ...{ secret: undefined, linksFiles: false },
      },
      () => {},
    )
    await attemptBackup({ ...deps, secretProof: 'of another installation' })
    for (let day = 0; day < 2; day += 1) await passTime(DAY_MS)
    assert.deepEqual(await times(), ['2040-01-01T12:00', '2040-01-01T12:00', '2040-01-03T12:00'])
    const kinds = (await list()).map(({ manifest }) => manifest.kind).toSorted()
    assert.deepEqual(kinds, ['manual', 'scheduled', 'scheduled'])
    assert.ok(readdirSync(backup).includes('manifest.json'))
  })

  test(`reports failures by metrics and one email, and when it works again (${engine})`, async () => {
    const { deps, place, emails, passTime, metrics, times } = await setUp(engine)
    await passTime(0)
    // The directory of the target becomes a file.
    rmSync(place, { recursive: true })
    writeFileSync(place, '')
    await passTime(DAY_MS)
    await passTime(MINUTE_MS)
    const { failed, failures, age, overdue } = await metrics()
    assert.deepEqual([failed, failures], [2, 2])
    assert.deepEqual([age, overdue], [DAY_MS / 1000 + 60, (10 * HOUR_MS) / 1000 + 60])
    assert.deepEqual(subjects(emails), ['Docket: the backup has failed'])
    assert.match(
      emails[0]?.text ?? '',
      /Reason: .* is a file\. Choose a directory\.\n[\s\S]*ended at 2040-01-01T12:00/,
    )
    assert.equal(emails[0]?.to, 'ops@example.com')
    await passTime(4 * MINUTE_MS)
    assert.equal((await metrics()).failed, 2, 'it waits five minutes')
    rmSync(place)
    await passTime(MINUTE_MS)
    assert.deepEqual(await times(), ['2040-01-02T12:06'])
    assert.deepEqual(subjects(emails).slice(1), ['Docket: the backup works again'])
    assert.deepEqual((await metrics()).failed, 0)
    rmSync(place, { recursive: true })
    writeFileSync(place, '')
    const emailsAfterFailure = async (hours: number) => {
      await passTime(hours * HOUR_MS)
      const failing = attemptBackup(deps)
      await assert.rejects(failing, JobError)
      await passTime(0)
      return emails.length
    }
    assert.equal(await emailsAfterFailure(1), 2, 'soon after the last one')
    assert.equal(await emailsAfterFailure(5), 3)
    assert.equal(await emailsAfterFailure(7), 3, 'of a streak that was reported')
  })

  test(`a backup that is damaged is deleted, so that retries do not fill the disk (${engine})`, async () => {
    const { deps, place, times, metrics } = await setUp(engine)
    const damage = (what: string) => {
      if (what !== 'checking') return
      for (const name of readdirSync(place)) appendFileSync(join(place, name, 'manifest.json'), ' ')
    }
    const runTask: RunBackupTask = ({ name, content }) =>
      openBackupTarget(deps.settings.place, content.location.dataDir).store(name, content, damage)
    const failing = attemptBackup({ ...deps, runTask })
    await assert.rejects(failing, { message: /damaged: manifest.json was changed/ })
    assert.deepEqual([await times(), readdirSync(place)], [[], []])
    assert.equal((await metrics()).failed, 1)
  })

  test(`a process that dies leaves nothing that passes as a backup (${engine})`, async () => {
    const { deps, place, storage, emails, clock, times, metrics, passTime } = await setUp(engine)
    const dying = Promise.withResolvers<void>()
    const runTask: RunBackupTask = async ({ name }) => {
      mkdirSync(join(place, `${name}.part-killed`))
      writeFileSync(join(place, `${name}.part-killed`, 'manifest.json'), '{}')
      dying.resolve()
      return new Promise(() => {})
    }
    void attemptBackup({ ...deps, runTask })
    await dying.promise
    assert.deepEqual(await times(), [])
    assert.equal((await metrics()).failed, 0)
    // Its job is given to others until it counts as lost.
    const { settings, operatorEmail } = deps
    assert.equal(settings.place.kind, 'directory')
    await storage.write(ANONYMOUS_ACTOR, (tx) => recordLostBackup(tx, { operatorEmail, place }))
    assert.equal((await metrics()).failed, 1)
    clock.advance(4 * MINUTE_MS)
    await passTime(0)
    assert.deepEqual(await times(), ['2040-01-01T12:04'])
    assert.equal(readdirSync(place).length, 1, 'the leftovers are gone')
    assert.deepEqual(subjects(emails), [
      'Docket: the backup has failed',
      'Docket: the backup works again',
    ])
    assert.match(emails[0]?.text ?? '', /were killed/)
  })

  test(`the late end of an attempt changes nothing of the one that has taken over (${engine})`, async () => {
    const { deps, storage } = await setUp(engine)
    const onOutcome = (outcome: string) => assert.fail(outcome)
    let isLost = false
    const run = createBackupJob({ ...deps, onOutcome }).run({
      job: { workspace_id: '', id: 'job_test', payload: {}, secret: undefined, attempts: 1 },
      signal: new AbortController().signal,
      setProgress() {},
      async write(work) {
        if (isLost) throw new JobLeaseLost()
        isLost = true
        return storage.write(ANONYMOUS_ACTOR, work)
      },
    })
    await assert.rejects(run, JobLeaseLost)
    assert.deepEqual(await loadBackupState(storage), {})
  })
}

if (ENGINES.includes('sqlite')) {
  test('makes backups of a schema that a newer release has left before a rollback', async () => {
    const { deps, config, place, list } = await setUp('sqlite')
    const db = new DatabaseSync(join(config.dataDir, DATABASE_FILENAME))
    db.exec(`pragma user_version = ${MIGRATIONS.length + 1}`)
    db.close()
    await attemptBackup(deps)
    const [backup] = await list()
    assert.ok(backup)
    const restorable = checkBackup(join(place, backup.name), () => {})
    await assert.rejects(restorable, /start the newer release that migrated it/)
  })
}

const subjects = (emails: readonly Email[]) => emails.map(({ subject }) => subject)
