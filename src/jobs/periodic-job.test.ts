import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { NOOP_TRACE_RECORDER } from '#core/trace-recorder.ts'
import { openStore } from '#db/installation/open-store.ts'
import { claimJob, nextDueJob } from '#db/jobs/jobs.ts'
import { openFiles } from '#files/open.ts'
import { timestampOf } from '#lib/clock.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createPeriodicJob, enqueuePeriodicJob } from './jobs.ts'
import { createJobWorker } from './queue/job-worker.ts'

const HOUR_MS = 60 * 60_000

for (const engine of ENGINES) {
  test(`a start after the clock was set back makes the periodic jobs due (${engine})`, async () => {
    const clock = createTestClock()
    const { storage } = await openFreshDocket(engine, {}, { clock })
    const readDueJobs = () => {
      const due = { kind: 'periodic', now: timestampOf(clock.now()) } as const
      return storage.read(ANONYMOUS_ACTOR, (tx) =>
        tx.all(nextDueJob, { ...due, from: '', except: [] }),
      )
    }
    await enqueuePeriodicJob(storage)
    clock.advance(-HOUR_MS)
    assert.equal((await readDueJobs()).length, 0, 'control')
    await enqueuePeriodicJob(storage)
    const [job = assert.fail()] = await readDueJobs()
    const claim = {
      ...job,
      now: timestampOf(clock.now()),
      until: timestampOf(clock.now() + 30_000),
    }
    assert.equal(await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(claimJob, claim)), 1)
    await enqueuePeriodicJob(storage)
    assert.equal((await readDueJobs()).length, 0, 'another process runs it')
    clock.advance(-HOUR_MS)
    await enqueuePeriodicJob(storage)
    assert.equal((await readDueJobs()).length, 1)
  })

  test(`one process at a time runs the periodic jobs, and another takes over (${engine})`, async () => {
    const { storage, config } = await openFreshDocket(engine)
    const runs: string[] = []
    /** Starts a process that records its name each time it runs a periodic job. */
    const launch = async (name: string) => {
      const own = engine === 'postgres' ? (await openStore(config)).storage : storage
      const run = async () => {
        runs.push(name)
        return false
      }
      const kind = createPeriodicJob({
        storage: own,
        files: openFiles(config),
        hasMail: false,
        config,
        log: testLog,
        isCopy: async () => false,
        authenticator: { flush: async () => {} },
        writeRequestCounts: async () => false,
        traces: NOOP_TRACE_RECORDER,
        otherJobs: [{ name: 'recorded', intervalMs: 1, run }],
      })
      const deps = { storage: own, kinds: [kind], log: testLog, traces: NOOP_TRACE_RECORDER }
      const worker = createJobWorker(deps)
      await enqueuePeriodicJob(own)
      worker.start({ isAlone: false, pollIntervalMs: 5 })
      return async () => {
        await worker.stop()
        if (own !== storage) await own.close()
      }
    }
    const stopFirst = await launch('first')
    await waitUntil('the first process', () => runs.length > 5)
    const stopSecond = await launch('second')
    await waitUntil('more runs', () => runs.length > 50)
    assert.deepEqual(new Set(runs), new Set(['first']))
    await stopFirst()
    const ran = runs.length
    await waitUntil('the second process', () => runs.length > ran + 5)
    await stopSecond()
    assert.deepEqual(new Set(runs.slice(ran)), new Set(['second']))
  })
}
