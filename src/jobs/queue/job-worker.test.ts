import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { JOB_KIND_NAMES, type JobContext, JobError, type JobKind, JobLeaseLost } from '#core/job.ts'
import type { Storage } from '#core/transaction.ts'
import { query } from '#db/core/statement.ts'
import { enqueueJob, type NewJob } from '#db/jobs/jobs.ts'
import { timestampOf } from '#lib/clock.ts'
import { openFreshStore } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { purgeEndedJobs } from '../purges.ts'
import { createJobWorker } from './job-worker.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const storedJobs = query((db) =>
  db.selectFrom('jobs').select(['id', 'status', 'attempts', 'secret', 'error']).orderBy('id'),
)

const createKind = (
  run: (context: JobContext) => Promise<unknown>,
  more: Partial<JobKind> = {},
): JobKind => ({
  name: 'invitation_email',
  maxRunning: 2,
  maxAgeMs: DAY,
  async run(context) {
    return (await run(context)) === 'again' ? 'again' : 'done'
  },
  retryDelayMs: () => MINUTE,
  ...more,
})

const createWorker = (storage: Storage, ...kinds: JobKind[]) =>
  createJobWorker({ storage, kinds, log: testLog })

for (const engine of ENGINES) {
  const setUp = async () => {
    const clock = createTestClock()
    const { storage } = await openFreshStore(engine, clock)
    const enqueue = (job: Partial<NewJob> = {}) =>
      storage.write(ANONYMOUS_ACTOR, (tx) =>
        enqueueJob(tx, { kind: 'invitation_email', payload: { number: '1' }, ...job }),
      )
    const jobs = () => storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(storedJobs, {}))
    const statuses = async () => (await jobs()).map(({ status }) => status)
    return { clock, storage, enqueue, jobs, statuses }
  }

  test(`runs a job with its payload and its decrypted secret, once (${engine})`, async () => {
    const { storage, enqueue, jobs } = await setUp()
    await enqueue({ secret: 'token' })
    const [stored] = await jobs()
    assert.ok(stored?.secret && !stored.secret.includes('token'))
    const seen: unknown[] = []
    const kind = createKind(async ({ job }) => void seen.push(job.payload, job.secret))
    const workers = [createWorker(storage, kind), createWorker(storage, kind)]
    await Promise.all(workers.map((worker) => worker.runDueJobs()))
    assert.deepEqual(seen, [{ number: '1' }, 'token'])
    const { status, secret } = (await jobs())[0] ?? {}
    assert.deepEqual([status, secret], ['done', null])
  })

  test(`retries a failed job for a day, and then ends it with its reason (${engine})`, async () => {
    const { clock, storage, enqueue, jobs } = await setUp()
    await enqueue({ secret: 'token' })
    const fail = async () => {
      throw new JobError('535 no')
    }
    const worker = createWorker(storage, createKind(fail, { retryDelayMs: () => 8 * 60 * MINUTE }))
    await worker.runDueJobs()
    assert.equal(await worker.runDueJobs(), 0, 'it waits for its next attempt')
    const read = async () => {
      const [{ status, attempts, error, secret } = assert.fail()] = await jobs()
      return [status, attempts, error, secret !== null]
    }
    assert.deepEqual(await read(), ['waiting', 1, '535 no', true])
    for (let n = 0; n < 2; n++) {
      clock.advance(8 * 60 * MINUTE)
      assert.equal(await worker.runDueJobs(), 1)
    }
    assert.deepEqual(await read(), ['failed', 3, '535 no', false])
  })

  test(`a permanent failure ends one job and not the others (${engine})`, async () => {
    const { storage, enqueue, jobs } = await setUp()
    await enqueue({ payload: { to: 'nobody' } })
    await enqueue({ payload: { to: 'somebody' } })
    const ended: unknown[] = []
    const kind = createKind(
      async ({ job }) => {
        if (job.payload.to === 'nobody') throw new JobError('550 no', { isPermanent: true })
      },
      { maxRunning: 1, onEnd: async (_, { payload }) => void ended.push(payload.to) },
    )
    const worker = createWorker(storage, kind)
    while ((await worker.runDueJobs()) > 0);
    assert.deepEqual(
      (await jobs()).map(({ status, error }) => [status, error]),
      [
        ['failed', '550 no'],
        ['done', null],
      ],
    )
    assert.deepEqual(ended, ['nobody', 'somebody'])
  })

  test(`a process that has lost its lease writes nothing (${engine})`, async () => {
    const { clock, storage, enqueue, jobs } = await setUp()
    await enqueue()
    const [claimed, resumed] = [Promise.withResolvers<JobContext>(), Promise.withResolvers<void>()]
    const slow = createWorker(
      storage,
      createKind(async (context) => {
        claimed.resolve(context)
        await resumed.promise
      }),
    )
    const stalled = slow.runDueJobs()
    const { write, signal } = await claimed.promise
    const [taken, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = createWorker(
      storage,
      createKind(async () => {
        taken.resolve()
        await ended.promise
      }),
    )
    assert.equal(await other.runDueJobs(), 0, 'the lease holds')
    clock.advance(31_000)
    const resumedJob = other.runDueJobs()
    await taken.promise
    await assert.rejects(
      write((tx) => enqueueJob(tx, { kind: 'invitation_email', payload: {} })),
      JobLeaseLost,
    )
    assert.equal(signal.aborted, true)
    resumed.resolve()
    await stalled
    const states = async () => (await jobs()).map(({ status, attempts }) => [status, attempts])
    assert.deepEqual(await states(), [['running', 2]])
    ended.resolve()
    await resumedJob
    assert.deepEqual(await states(), [['done', 2]])
  })

  test(`a job that is enqueued again while it runs, runs once more (${engine})`, async () => {
    const { storage, enqueue, statuses } = await setUp()
    await enqueue({ key: 'one' })
    await enqueue({ key: 'one' })
    let runs = 0
    const kind = createKind(async () => {
      runs += 1
      if (runs === 1) await enqueue({ key: 'one' })
    })
    const worker = createWorker(storage, kind)
    while ((await worker.runDueJobs()) > 0);
    assert.deepEqual([runs, await statuses()], [2, ['done']])
    await enqueue({ key: 'one' })
    assert.deepEqual(await statuses(), ['done', 'waiting'])
  })

  test(`long jobs of one kind take turns (${engine})`, async () => {
    const { clock, storage, enqueue, jobs } = await setUp()
    for (const name of ['one', 'two']) await enqueue({ payload: { name } })
    const turns: unknown[] = []
    const kind = createKind(
      async ({ job }) => {
        clock.advance(1_000)
        turns.push(job.payload.name)
        return turns.length < 4 ? 'again' : 'done'
      },
      { maxRunning: 1 },
    )
    const worker = createWorker(storage, kind)
    while ((await worker.runDueJobs()) > 0);
    assert.deepEqual(turns, ['one', 'two', 'one', 'two', 'one'])
    assert.deepEqual(
      (await jobs()).map(({ status }) => status),
      ['done', 'done'],
    )
  })

  test(`workspaces take turns, each with at most half of the slots (${engine})`, async () => {
    const { storage, enqueue } = await setUp()
    const enqueueIn = (workspace_id: string) =>
      storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
        enqueueJob(tx, { kind: 'invitation_email', payload: {} }),
      )
    for (let n = 0; n < 5; n += 1) await enqueueIn('wsp_b')
    await enqueueIn('wsp_c')
    await enqueueIn('wsp_a')
    await enqueueIn('wsp_b')
    await enqueue()
    await enqueue()
    const running: string[] = []
    let end = Promise.withResolvers<void>()
    const kind = createKind(
      async ({ job }) => {
        running.push(job.workspace_id)
        await end.promise
      },
      { maxRunning: 4 },
    )
    const worker = createWorker(storage, kind)
    /** The workspaces of the jobs that run together. */
    const runTogether = async (count: number) => {
      const runs = worker.runDueJobs()
      await waitUntil('the jobs', () => running.length >= count)
      end.resolve()
      await runs
      end = Promise.withResolvers()
      return running.splice(0).toSorted()
    }
    assert.deepEqual(await runTogether(4), ['', 'wsp_a', 'wsp_b', 'wsp_c'])
    assert.deepEqual(await runTogether(3), ['', 'wsp_b', 'wsp_b'], 'two of four')
  })

  test(`jobs of one kind do not hold up another kind (${engine})`, async () => {
    const { storage, enqueue } = await setUp()
    for (let n = 0; n < 5; n++) await enqueue()
    const held = Promise.withResolvers<void>()
    const reset = Promise.withResolvers<void>()
    const worker = createWorker(
      storage,
      createKind(() => held.promise, { maxRunning: 1 }),
      createKind(async () => reset.resolve(), { name: 'password_reset_email' }),
    )
    worker.start({ isAlone: false, pollIntervalMs: 5 })
    await enqueue({ kind: 'password_reset_email' })
    await reset.promise
    held.resolve()
    await worker.stop()
  })

  test(`a commit that enqueues a job wakes the worker at once (${engine})`, async (t) => {
    const { storage, enqueue } = await setUp()
    let runs = 0
    const worker = createWorker(
      storage,
      createKind(async () => {
        runs += 1
      }),
    )
    t.after(() => worker.stop())
    worker.start({ isAlone: false, pollIntervalMs: DAY })
    for (let n = 1; n <= 3; n += 1) {
      await enqueue()
      await waitUntil('the job', () => runs === n)
    }
  })

  test(`looks for jobs of all kinds with one statement when there are none (${engine})`, async () => {
    const { clock, storage, enqueue } = await setUp()
    await enqueue({ run_at: timestampOf(clock.now() + MINUTE) })
    let statements = 0
    const counting: Storage = {
      ...storage,
      read: (actor, work) =>
        storage.read(actor, (tx) => {
          const all: typeof tx.all = (query, args) => {
            statements += 1
            return tx.all(query, args)
          }
          return work(Object.assign(Object.create(tx), { all, one: assert.fail }))
        }),
    }
    const kinds = JOB_KIND_NAMES.map((name) => createKind(async () => {}, { name }))
    assert.equal(await createWorker(counting, ...kinds).runDueJobs(), 0)
    assert.equal(statements, 1)
    clock.advance(MINUTE)
    assert.equal(await createWorker(storage, ...kinds).runDueJobs(), 1)
  })

  test(`a stop gives running jobs back, and a lone process takes over all leases (${engine})`, async () => {
    const { storage, enqueue, jobs } = await setUp()
    await enqueue()
    const untilStopped = createKind(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const first = createWorker(storage, untilStopped)
    first.start({ isAlone: false, pollIntervalMs: 5 })
    await waitUntil('the claim', async () => (await jobs())[0]?.status === 'running')
    await first.stop()
    assert.deepEqual(
      (await jobs()).map(({ status, attempts }) => [status, attempts]),
      [['waiting', 0]],
    )
    const killed = createWorker(
      storage,
      createKind(() => new Promise<void>(() => {})),
    )
    void killed.runDueJobs()
    await waitUntil('the claim', async () => (await jobs())[0]?.status === 'running')
    const alone = createWorker(
      storage,
      createKind(async () => {}),
    )
    alone.start({ isAlone: true, pollIntervalMs: 5 })
    await waitUntil('the end', async () => (await jobs())[0]?.status === 'done')
    await alone.stop()
  })

  test(`pauses between attempts to claim a job while the database cannot be written (${engine})`, async (t) => {
    const { storage, enqueue, statuses } = await setUp()
    await enqueue()
    let isReadOnly = true
    const startWorker = (recoveryIntervalMs: number) => {
      const counts = { writes: 0 }
      const readOnly: Storage = {
        ...storage,
        async write(actor, work) {
          counts.writes += 1
          if (isReadOnly) throw new Error('database or disk is full')
          return storage.write(actor, work)
        },
      }
      const worker = createWorker(
        readOnly,
        createKind(async () => {}),
      )
      t.after(() => worker.stop())
      worker.start({ isAlone: false, pollIntervalMs: 5, recoveryIntervalMs })
      return { worker, counts }
    }
    const pausing = startWorker(DAY)
    await waitUntil('an attempt', () => pausing.counts.writes > 0)
    const retrying = startWorker(5)
    await waitUntil('several attempts of another worker', () => retrying.counts.writes > 10)
    assert.equal(pausing.counts.writes, 1)
    await pausing.worker.stop()
    assert.deepEqual(await statuses(), ['waiting'])
    isReadOnly = false
    await waitUntil('the end', async () => (await statuses())[0] === 'done')
  })

  test(`purges ended jobs, failed ones after a month, and never waiting ones (${engine})`, async () => {
    const { clock, storage, enqueue, statuses } = await setUp()
    await enqueue({ payload: { fails: 'yes' } })
    await enqueue()
    const fail = createKind(async ({ job }) => {
      if (job.payload.fails) throw new JobError('550 no', { isPermanent: true })
    })
    await createWorker(storage, fail).runDueJobs()
    await enqueue()
    const purge = async () => {
      while (await purgeEndedJobs(storage)());
      return statuses()
    }
    assert.deepEqual(await purge(), ['failed', 'done', 'waiting'])
    clock.advance(DAY + MINUTE)
    assert.deepEqual(await purge(), ['failed', 'waiting'])
    clock.advance(30 * DAY)
    assert.deepEqual(await purge(), ['waiting'])
  })
}
