import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createExportJob } from '#archive/export/export-jobs.ts'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { JobError, type JobKind } from '#core/job.ts'
import { openStore } from '#db/installation/open-store.ts'
import { enqueueJob, loadJobBacklog } from '#db/jobs/jobs.ts'
import { openFiles } from '#files/open.ts'
import { createJobMetrics } from '#jobs/queue/job-metrics.ts'
import { createJobWorker } from '#jobs/queue/job-worker.ts'
import { createApp } from '#server/app.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import { ENGINES, testLog } from '../support/engines/test-docket.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createCookieClient } from '../support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '../support/world/test-password.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

interface JobList {
  data: { id: string; kind: string; status: string; error: string | null }[]
}

const failing = (name: JobKind['name'], isPermanent: boolean): JobKind => ({
  name,
  maxRunning: 1,
  maxAgeMs: 86_400_000,
  retryDelayMs: () => 3_600_000,
  async run() {
    throw new JobError('The mail server answered: 535', { isPermanent })
  },
})

for (const engine of ENGINES) {
  const setUp = async () => {
    const env: Record<string, string> = {
      DOCKET_DATA_DIR: createTempDir(),
      DOCKET_SECRET: TEST_SECRET,
      ...(engine === 'postgres' && { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url }),
    }
    const config = parseConfig(env)
    const { storage, secret } = await openStore(config)
    const registry = new Registry()
    const onAttempt = createJobMetrics(registry, () => loadJobBacklog(storage))
    const runJobs = (...kinds: JobKind[]) =>
      createJobWorker({
        storage,
        kinds,
        log: testLog,
        onAttempt,
      }).runDueJobs()
    const list = async (...options: string[]) =>
      (await runHostedCliJson<JobList>(env, 'jobs', 'list', ...options)).data
    return { env, config, storage, secret, registry, runJobs, list }
  }

  test(`lists, shows and runs jobs, without their secrets (${engine})`, async () => {
    const { env, storage, registry, runJobs, list } = await setUp()
    const enqueue = (secret?: string) =>
      storage.write(ANONYMOUS_ACTOR, (tx) =>
        enqueueJob(tx, {
          kind: 'invitation_email',
          payload: { invitation_id: 'inv_1' },
          ...(secret && { secret }),
        }),
      )
    const id = await enqueue('tell-nobody')
    await runJobs(failing('invitation_email', false))
    assert.equal(await runJobs(failing('invitation_email', false)), 0)
    const [waiting] = await list()
    assert.equal(waiting?.id, id)
    assert.deepEqual(
      [waiting?.status, waiting?.error],
      ['waiting', 'The mail server answered: 535'],
    )
    const shown = await runHostedCli(env, 'jobs', 'show', '--job', id, '--json')
    assert.deepEqual(JSON.parse(shown.stdout).payload, { invitation_id: 'inv_1' })
    assert.ok(!shown.stdout.includes('secret') && !shown.stdout.includes('tell-nobody'))

    await runHostedCliJson(env, 'jobs', 'run', '--job', id)
    assert.equal(await runJobs(failing('invitation_email', true)), 1)
    assert.deepEqual([await list(), (await list('--status', 'failed')).length], [[], 1])
    assert.deepEqual(await list('--status', 'failed', '--kind', 'export'), [])
    const refused = await runHostedCli(env, 'jobs', 'run', '--job', id)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /job_not_runnable.*Invite again/)
    assert.equal((await list('--status', 'failed')).length, 1)
    assert.equal((await runHostedCli(env, 'jobs', 'show', '--job', 'job_1')).code, 1)

    await enqueue()
    const metrics = await registry.metrics()
    const values = (name: string) =>
      metrics.split('\n').filter((line) => line.startsWith(name) && !/\} 0$/.test(line))
    assert.deepEqual(values('docket_job_attempts_total'), [
      'docket_job_attempts_total{kind="invitation_email",outcome="retried"} 1',
      'docket_job_attempts_total{kind="invitation_email",outcome="failed"} 1',
    ])
    assert.deepEqual(values('docket_jobs_open'), ['docket_jobs_open{kind="invitation_email"} 1'])
    assert.deepEqual(values('docket_jobs_failed'), ['docket_jobs_failed 1'])
    await storage.close()
  })

  test(`makes a failed export run again (${engine})`, async () => {
    const { env, config, storage, secret, runJobs, list } = await setUp()
    const { server } = await createApp(storage, config, secret, testLog)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'owner')
    const owner = createCookieClient(server)
    await owner.send('POST /internal/session', { email, password: TEST_PASSWORD })
    await owner.send('POST /internal/exports')
    const files = openFiles(config)
    const jobKind = (maxBytes: number) =>
      createExportJob({ storage, files, log: testLog, maxBytes })
    await runJobs(jobKind(1))
    const status = async () =>
      ((await owner.send('GET /internal/exports')).body.data as { status: string }[])[0]?.status
    assert.equal(await status(), 'failed')
    const [failed = assert.fail()] = await list('--status', 'failed')
    await runHostedCliJson(env, 'jobs', 'run', '--job', failed.id)
    assert.equal(await status(), 'running')
    await runJobs(jobKind(1e9))
    assert.equal(await status(), 'ready')
    assert.deepEqual(
      (await list('--status', 'done')).map(({ id }) => id),
      [failed.id],
    )
    await server.close()
    await storage.close()
  })
}
