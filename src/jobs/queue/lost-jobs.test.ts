import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { JobError, type JobKind } from '#core/job.ts'
import { query } from '#db/core/statement.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { openFreshStore } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createJobWorker } from './job-worker.ts'

const LEASE_MS = 31_000
const DEATHS = 'The process that worked on it ended, or lost it, 2 times in a row.'
const DAY = 24 * 60 * 60_000

const storedJobs = query((db) =>
  db.selectFrom('jobs').select(['status', 'error']).orderBy('created_at').orderBy('id'),
)

for (const engine of ENGINES) {
  const setUp = async (more: Partial<JobKind> = {}) => {
    const clock = createTestClock()
    const { storage } = await openFreshStore(engine, clock)
    const enqueue = (key = 'one') =>
      storage.write(ANONYMOUS_ACTOR, (tx) => enqueueJob(tx, { kind: 'import', key, payload: {} }))
    await enqueue()
    const ended: string[] = []
    const outcomes: string[] = []
    let runs = 0
    const createWorker = (run: JobKind['run']) => {
      const kind: JobKind = {
        name: 'import',
        maxRunning: 1,
        maxAgeMs: DAY,
        retryDelayMs: () => 1_000,
        onEnd: async (_, __, status) => void ended.push(status),
        async run(context) {
          runs += 1
          return run(context)
        },
        ...more,
      }
      return createJobWorker({
        storage,
        kinds: [kind],
        log: testLog,
        onAttempt: (_, outcome) => outcomes.push(outcome),
      })
    }
    const attempt = (run: JobKind['run']) => createWorker(run).runDueJobs()
    /** Runs jobs as a server does, until it is stopped. */
    const start = (run: JobKind['run']) => {
      const worker = createWorker(run)
      worker.start({ isAlone: true, pollIntervalMs: 5 })
      return worker
    }
    /** Claims the job as a process does that is killed meanwhile. Returns whether it was run. */
    const lose = async () => {
      const before = runs
      const claimed = Promise.withResolvers<void>()
      const attempted = attempt(() => {
        claimed.resolve()
        return new Promise(() => {})
      })
      await Promise.race([claimed.promise, attempted])
      clock.advance(LEASE_MS)
      return runs > before
    }
    const loseTimes = async (count: number) => {
      for (let at = 0; at < count; at += 1) assert.equal(await lose(), true, `${at}`)
    }
    const read = async () =>
      (await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(storedJobs, {})))[0]
    return { clock, enqueue, ended, outcomes, attempt, lose, loseTimes, read, start }
  }

  test(`ends a job as failed after two attempts that killed their process (${engine})`, async () => {
    const { ended, outcomes, lose, loseTimes, read } = await setUp()
    await loseTimes(2)
    assert.equal(await lose(), false)
    assert.deepEqual([ended, outcomes], [['lost'], ['failed']])
    assert.deepEqual(await read(), { status: 'failed', error: DEATHS })
    assert.equal(await lose(), false)
  })

  test(`a stop of the process does not count, even if the job ignores it (${engine})`, async () => {
    const { ended, attempt, lose, loseTimes, start } = await setUp()
    await loseTimes(1)
    for (let deploys = 0; deploys < 3; deploys += 1) {
      const claimed = Promise.withResolvers<void>()
      const worker = start(() => {
        claimed.resolve()
        return new Promise(() => {})
      })
      await claimed.promise
      await worker.stop(1)
    }
    await attempt(async () => 'again')
    await loseTimes(2)
    assert.equal(await lose(), false)
    assert.deepEqual(ended, ['lost'])
  })

  test(`a job that was lost is alone among its kind, so that it is known what ends a process (${engine})`, async () => {
    const { clock, enqueue, attempt, ended } = await setUp({ maxRunning: 2 })
    await enqueue('two')
    const bothRun = Promise.withResolvers<void>()
    let claims = 0
    void attempt(() => {
      claims += 1
      if (claims === 2) bothRun.resolve()
      return new Promise(() => {})
    })
    await bothRun.promise
    clock.advance(LEASE_MS)
    let [running, most] = [0, 0]
    const run: JobKind['run'] = async () => {
      running += 1
      most = Math.max(most, running)
      await nextTurn()
      running -= 1
      return 'done'
    }
    while ((await attempt(run)) > 0);
    assert.deepEqual([ended, most], [['done', 'done'], 1])
    for (const key of ['three', 'four']) await enqueue(key)
    const bothRunAgain = Promise.withResolvers<void>()
    await attempt(async () => {
      running += 1
      if (running === 2) bothRunAgain.resolve()
      await bothRunAgain.promise
      return 'done'
    })
    assert.equal(running, 2)
  })

  test(`a job that is enqueued again gets all its attempts again (${engine})`, async () => {
    const { enqueue, ended, attempt, lose, loseTimes } = await setUp()
    await loseTimes(2)
    await enqueue()
    await loseTimes(2)
    await enqueue()
    await attempt(async () => 'done')
    await enqueue()
    await loseTimes(2)
    assert.equal(await lose(), false)
    assert.deepEqual(ended, ['done', 'lost'])
  })

  test(`an attempt that has lost its job to another one leaves it alone (${engine})`, async () => {
    const { clock, ended, outcomes, attempt, read } = await setUp()
    const [began, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = attempt(async ({ write, signal }) => {
      began.resolve()
      await goesOn.promise
      // It learns of the loss by its next write, and its work fails in its own way.
      await assert.rejects(write(async () => {}))
      assert.ok(signal.aborted)
      throw new Error('The work was aborted')
    })
    await began.promise
    clock.advance(LEASE_MS)
    await attempt(async () => 'done')
    goesOn.resolve()
    await slow
    assert.deepEqual([ended, outcomes], [['done'], ['done', 'interrupted']])
    assert.deepEqual(await read(), { status: 'done', error: null })
  })

  // What follows runs the same statements.
  if (engine !== 'sqlite') continue

  test(`ends a job with bounded work, which only runs beside others, after five (${engine})`, async () => {
    const { ended, lose, loseTimes } = await setUp({ isBounded: true })
    await loseTimes(5)
    assert.equal(await lose(), false)
    assert.deepEqual(ended, ['lost'])
  })

  test(`a job that continues is not ended, however old or often claimed (${engine})`, async () => {
    const { clock, ended, attempt, loseTimes } = await setUp()
    for (let turn = 0; turn < 8; turn += 1) {
      await loseTimes(1)
      clock.advance(DAY)
      assert.equal(await attempt(async () => 'again'), 1)
    }
    await loseTimes(1)
    await attempt(async () => 'done')
    assert.deepEqual(ended, ['done'])
  })

  test(`a job that has failed before is ended, too, if it kills its process (${engine})`, async () => {
    const { clock, ended, attempt, lose, loseTimes, read } = await setUp()
    await attempt(() => Promise.reject(new JobError('535 no')))
    clock.advance(1_000)
    await loseTimes(1)
    await attempt(() => Promise.reject(new JobError('421 later')))
    clock.advance(1_000)
    await loseTimes(1)
    assert.equal(await lose(), false)
    assert.deepEqual(ended, ['lost'])
    assert.deepEqual(await read(), { status: 'failed', error: DEATHS })
  })

  test(`a job without an end survives every kill (${engine})`, async () => {
    const { ended, loseTimes } = await setUp({ isEndless: true, maxAgeMs: Infinity })
    await loseTimes(12)
    assert.deepEqual(ended, [])
  })
}
