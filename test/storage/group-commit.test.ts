import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '#core/api-error.ts'
import {
  type CommitEngine,
  createCommitStats,
  createGroupCommit,
  type EngineErrorKind,
  type WriteSession,
} from '#db/core/group-commit.ts'
import { stopPerformanceClock } from '../support/system/performance-clock.ts'

/** A fake engine that records its steps; `fails` may throw at a step. */
function createFakeEngine(
  fails: (step: string) => void = () => {},
  meaning: EngineErrorKind = 'statement',
) {
  const steps: string[] = []
  const step = (name: string) => {
    steps.push(name)
    fails(name)
  }
  const session = {
    changes: 0,
    begin: () => step('begin'),
    commit: () => step('commit'),
    rollback: () => step('rollback'),
    savepoint: (what: string) => step(what),
    end: (error?: unknown) => step(error === undefined ? 'end' : 'end for good'),
  }
  const engine: CommitEngine<WriteSession> = { open: () => session, classifyError: () => meaning }
  return { engine, steps, session }
}

const GROUP_LIMITS = { size: 3, time: 1_000 }

function createWriter(
  commits: ReturnType<typeof createGroupCommit<WriteSession>>,
  steps: string[],
) {
  return (name: string, work: () => unknown = () => name, keep = true, owner = '') =>
    new Promise<string>((resolve, reject) => {
      const run = async () => {
        steps.push(name)
        return work()
      }
      commits.add({ run, keep, owner, resolve, reject })
    }).finally(() => steps.push(`${name} answered`))
}

const refuse = () => {
  throw new ApiError<string>(409, 'no', 'No.')
}

test('waiting writes share a commit and are answered after it', async () => {
  const { engine, steps } = createFakeEngine()
  const tally = createCommitStats()
  const write = createWriter(createGroupCommit(engine, GROUP_LIMITS, tally), steps)
  const values = await Promise.all(['a', 'b', 'c', 'd'].map((name) => write(name)))
  assert.deepEqual(values, ['a', 'b', 'c', 'd'])
  const answers = ['a answered', 'b answered', 'c answered']
  const first = ['begin', 'a', 'b', 'c', 'commit', 'end', ...answers]
  assert.deepEqual(steps, [...first, 'begin', 'd', 'commit', 'end', 'd answered'])
  assert.deepEqual(
    { ...tally, seconds: tally.seconds > 0 },
    { commits: 2, writes: 4, seconds: true },
  )
})

test('writes that arrive in the next turn of the event loop share the commit', async () => {
  const { engine, steps } = createFakeEngine()
  const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
  const first = write('a')
  await setImmediate()
  await Promise.all([first, write('b')])
  assert.deepEqual(steps.slice(0, 4), ['begin', 'a', 'b', 'commit'])
})

test('a listener that fails after a commit fails no write', async () => {
  const { engine, steps } = createFakeEngine()
  const errors: unknown[] = []
  const commits = createGroupCommit(engine, GROUP_LIMITS, undefined, (error) => errors.push(error))
  const rejected: unknown[] = []
  const failure = new Error('a listener')
  commits.add({
    run: async () => 'a',
    keep: true,
    owner: '',
    resolve() {
      throw failure
    },
    reject: (error) => rejected.push(error),
  })
  assert.equal(await createWriter(commits, steps)('b'), 'b')
  assert.deepEqual([errors, rejected], [[failure], []])
  assert.equal(steps.filter((step) => step === 'commit').length, 1)
})

test('a workspace whose writes are refused late makes no other write run again, but for the first time', async () => {
  const { engine, steps, session } = createFakeEngine()
  const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
  const refuseLate = () => {
    session.changes += 1
    refuse()
  }
  const round = () =>
    Promise.allSettled([write('a'), write('b', refuseLate, true, 'full'), write('c')])
  const runsOf = (name: string) => steps.filter((step) => step === name).length
  await round()
  assert.equal(runsOf('a'), 2)
  for (let time = 0; time < 3; time += 1) await round()
  assert.equal(runsOf('a'), 5)
  // Once it is not full any more, it has no savepoint.
  await write('b', () => 'b', true, 'full')
  const savepoints = runsOf('savepoint')
  await write('b', () => 'b', true, 'full')
  assert.equal(runsOf('savepoint'), savepoints)
})

test('writes that waited long behind a failed group fail with it', async (t) => {
  const time = stopPerformanceClock(t)
  const [commitStarted, hangingCommit] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<never>(),
  ]
  const { engine, steps, session } = createFakeEngine(() => {}, 'lost')
  const silent = () => {
    commitStarted.resolve()
    return hangingCommit.promise
  }
  const write = createWriter(
    createGroupCommit({ ...engine, open: () => ({ ...session, commit: silent }) }, GROUP_LIMITS),
    steps,
  )
  const first = write('a')
  await commitStarted.promise
  const all = Promise.allSettled([first, write('b'), write('c')])
  time.pass(2_100)
  hangingCommit.reject(new Error('Query read timeout'))
  const outcomes = await all
  assert.deepEqual(
    outcomes.map((one) => one.status === 'rejected' && one.reason.status),
    [503, 503, 503],
  )
  assert.equal(steps.filter((step) => step === 'begin').length, 1)
})

test('an error before any change needs no rollback, and is returned after the commit', async () => {
  const { engine, steps } = createFakeEngine()
  const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
  const outcomes = await Promise.allSettled([write('a'), write('b', refuse), write('c')])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(steps.slice(0, 6), ['begin', 'a', 'b', 'c', 'commit', 'end'])
})

test('a write that fails after a change is rolled back alone, by a retry with savepoints', async () => {
  const faults = [refuse, () => assert.fail('no Refusal')]
  for (const fail of faults) {
    const { engine, steps, session } = createFakeEngine()
    const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
    const changing = () => {
      session.changes += 1
      fail()
    }
    const outcomes = await Promise.allSettled([write('a'), write('b', changing), write('c')])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const marked = (name: string) => ['savepoint', name, 'release']
    const undone = ['savepoint', 'b', 'rollback to', 'release']
    const again = ['begin', ...marked('a'), ...undone, ...marked('c'), 'commit', 'end']
    assert.deepEqual(steps.slice(0, -3), ['begin', 'a', 'b', 'rollback', 'end', ...again])
  }
})

test('an unexpected error is rolled back even without a counted change', async () => {
  const { engine, steps } = createFakeEngine()
  const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
  await assert.rejects(write('a', () => assert.fail('no Refusal')))
  assert.ok(steps.includes('rollback to'))
})

test('a write that took too long is not retried with its group', async () => {
  const { engine, steps } = createFakeEngine()
  const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
  const slow = () => {
    throw new ApiError(503, 'unavailable', 'Too long.')
  }
  const outcomes = await Promise.allSettled([write('a'), write('slow', slow), write('c')])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal(steps.filter((step) => step === 'slow').length, 1)
})

test('a dry run is rolled back to a savepoint of its own', async () => {
  const { engine, steps } = createFakeEngine()
  const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
  await Promise.all([write('a'), write('b', () => 1, false)])
  const rehearsed = ['savepoint', 'b', 'rollback to', 'release']
  assert.deepEqual(steps.slice(0, 8), ['begin', 'a', ...rehearsed, 'commit', 'end'])
})

test('writes beyond the time limit of a group are in the next one', async (t) => {
  const time = stopPerformanceClock(t)
  const { engine, steps } = createFakeEngine()
  const write = createWriter(createGroupCommit(engine, { size: 3, time: 20 }), steps)
  await Promise.all([write('slow', () => time.pass(30)), write('b'), write('c')])
  assert.deepEqual(
    steps.filter((step) => /^(commit|slow|b|c)$/.test(step)),
    ['slow', 'commit', 'b', 'c', 'commit'],
  )
})

test('a group with a retryable error is attempted four times', async () => {
  for (const failures of [3, 4]) {
    let commits = 0
    const { engine, steps } = createFakeEngine((step) => {
      if (step !== 'commit') return
      commits += 1
      if (commits <= failures) throw new Error('again')
    }, 'again')
    const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
    const outcomes = await Promise.allSettled([write('a'), write('b')])
    const wanted = failures === 3 ? 'fulfilled' : 'rejected'
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [wanted, wanted],
    )
    assert.equal(steps.filter((step) => step === 'a').length, 4)
  }
})

test('a lost transaction fails all its writes, and the next group starts a new one', async () => {
  for (const at of ['begin', 'commit']) {
    let lost = false
    const { engine, steps } = createFakeEngine((step) => {
      if (step !== at || lost) return
      lost = true
      throw new Error('lost')
    }, 'lost')
    const write = createWriter(createGroupCommit(engine, GROUP_LIMITS), steps)
    const outcomes = await Promise.allSettled([write('a'), write('b'), write('c'), write('d')])
    assert.deepEqual(
      outcomes.map((one) => (one.status === 'rejected' ? one.reason.status : one.value)),
      [503, 503, 503, 'd'],
      at,
    )
    assert.equal(steps.filter((step) => step === 'commit').length, at === 'commit' ? 2 : 1)
    assert.ok(steps.includes('end for good'))
  }
})

test('refuses writes at once when too many wait', async () => {
  const { engine, steps } = createFakeEngine()
  const write = createWriter(createGroupCommit(engine, { size: 512, time: 1_000 }), steps)
  const all = Array.from({ length: 10_001 }, (_, at) => write(String(at)))
  const outcomes = await Promise.allSettled(all)
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 1)
  assert.equal(outcomes.at(-1)?.status, 'rejected')
})
