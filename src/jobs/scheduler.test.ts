import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { claimJob, nextDueJob } from '#db/jobs/jobs.ts'
import { openFiles } from '#files/open.ts'
import { timestampOf } from '#lib/clock.ts'
import { openFreshStore } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createPeriodicJob, enqueuePeriodicJob } from './jobs.ts'
import { createJobWorker } from './queue/job-worker.ts'
import { forEachWorkspace, startScheduler } from './scheduler.ts'

test('repeats steps while there is more to do and starts another round', async () => {
  let remaining = 3
  let steps = 0
  const step = async () => {
    steps += 1
    remaining -= 1
    return remaining > 0
  }
  const rounds = startScheduler([{ name: 'few', intervalMs: 5, run: step }], assert.fail)
  await waitUntil('a second round', () => remaining < 0)
  await rounds.stop()
  const done = steps
  let others = 0
  const other = async () => {
    others += 1
    return false
  }
  const beside = startScheduler([{ name: 'beside', intervalMs: 5, run: other }], assert.fail)
  await waitUntil('other rounds', () => others > 3)
  await beside.stop()
  assert.equal(steps, done, 'nothing runs after the stop')
})

test('reports and retries a failing job without delaying others', async () => {
  const failed: string[] = []
  let others = 0
  const bad = async (): Promise<boolean> => {
    throw new Error('no')
  }
  const good = async () => {
    others += 1
    return false
  }
  const rounds = startScheduler(
    [
      { name: 'bad', intervalMs: 5, run: bad },
      { name: 'good', intervalMs: 5, run: good },
    ],
    (name) => failed.push(name),
  )
  await waitUntil('more of both', () => failed.length > 1 && others > 1)
  await rounds.stop()
  assert.ok(failed.every((name) => name === 'bad'))
})

test('stop waits for the running step', async () => {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const order: string[] = []
  const step = async () => {
    begun.resolve()
    await released.promise
    order.push('the step')
    return true
  }
  const rounds = startScheduler([{ name: 'slow', intervalMs: 1, run: step }], assert.fail)
  await begun.promise
  const stopped = rounds.stop().then(() => order.push('the stop'))
  // A stop that did not wait would resolve within this turn of the event loop.
  await setImmediate()
  released.resolve()
  await stopped
  assert.deepEqual(order, ['the step', 'the stop'])
})

for (const engine of ENGINES) {
  test(`no workspace waits for one in which the work fails (${engine})`, async () => {
    const { storage } = await openFreshStore(engine)
    for (let count = 0; count < 3; count += 1) await createTestWorkspace(storage)
    const visits: string[] = []
    let failing: string | undefined
    const step = forEachWorkspace(storage, async ({ workspace_id: id }) => {
      visits.push(id)
      if (id === failing) throw new Error('The work fails')
      // Each workspace needs two steps.
      return visits.filter((visit) => visit === id).length % 2 === 1
    })
    const runRound = async () => {
      visits.length = 0
      while (await step());
      return visits
    }
    const [first, second, third] = new Set(await runRound())
    assert.deepEqual(visits, [first, first, second, second, third, third])

    failing = second
    await assert.rejects(runRound(), /The work fails/)
    assert.deepEqual(visits, [first, first, second])
    assert.deepEqual(await runRound(), [third, third])
    await assert.rejects(runRound(), /The work fails/)
    failing = undefined
    await runRound()
    assert.deepEqual(await runRound(), [first, first, second, second, third, third])
  })
}

const HOUR_MS = 60 * 60_000

for (const engine of ENGINES) {
  test(`a start after the clock was set back makes the periodic jobs due (${engine})`, async () => {
    const clock = createTestClock()
    const { storage } = await openFreshStore(engine, clock)
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
    const { storage, config } = await openFreshStore(engine)
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
        log: testLog,
        isCopy: async () => false,
        authenticator: { flush: async () => {} },
        writeRequestCounts: async () => false,
        otherJobs: [{ name: 'recorded', intervalMs: 1, run }],
      })
      const deps = { storage: own, kinds: [kind], log: testLog }
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
