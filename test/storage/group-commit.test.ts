import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#core/refusal.ts'
import {
  type Engine,
  groupCommit,
  type Meaning,
  newTally,
  type Session,
} from '#storage/group-commit.ts'
import { stoppedTime } from '../support/stopped-time.ts'

/** An engine that only tells what is asked of it; `fails` may throw at a step. */
function told(fails: (step: string) => void = () => {}, meaning: Meaning = 'statement') {
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
  const engine: Engine<Session> = { open: () => session, meaningOf: () => meaning }
  return { engine, steps, session }
}

const GROUP = { size: 3, time: 1_000 }

function writing(commits: ReturnType<typeof groupCommit<Session>>, steps: string[]) {
  return (name: string, work: () => unknown = () => name, keep = true) =>
    new Promise<string>((resolve, reject) => {
      const run = async () => {
        steps.push(name)
        return work()
      }
      commits.add({ run, keep, resolve, reject })
    }).finally(() => steps.push(`${name} answered`))
}

const no = () => {
  throw new Refusal(409, 'no', 'No.')
}

test('writes that wait together share a commit, and are answered after it', async () => {
  const { engine, steps } = told()
  const tally = newTally()
  const write = writing(groupCommit(engine, GROUP, tally), steps)
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

test('who has waited long behind a group that failed is told with it', async (t) => {
  const time = stoppedTime(t)
  const [asked, silence] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
  const { engine, steps, session } = told(() => {}, 'lost')
  const silent = () => {
    asked.resolve()
    return silence.promise
  }
  const write = writing(
    groupCommit({ ...engine, open: () => ({ ...session, commit: silent }) }, GROUP),
    steps,
  )
  const first = write('a')
  await asked.promise
  const all = Promise.allSettled([first, write('b'), write('c')])
  time.pass(2_100)
  silence.reject(new Error('Query read timeout'))
  const outcomes = await all
  assert.deepEqual(
    outcomes.map((one) => one.status === 'rejected' && one.reason.status),
    [503, 503, 503],
  )
  assert.equal(steps.filter((step) => step === 'begin').length, 1)
})

test('a refusal before any change needs no undoing, and is told after the commit too', async () => {
  const { engine, steps } = told()
  const write = writing(groupCommit(engine, GROUP), steps)
  const outcomes = await Promise.allSettled([write('a'), write('b', no), write('c')])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(steps.slice(0, 6), ['begin', 'a', 'b', 'c', 'commit', 'end'])
})

test('what fails after a change is undone alone: its group is done again with a mark for each', async () => {
  const faults = [no, () => assert.fail('no Refusal')]
  for (const fail of faults) {
    const { engine, steps, session } = told()
    const write = writing(groupCommit(engine, GROUP), steps)
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

test('an error that is no refusal is not trusted to have left all as it was', async () => {
  const { engine, steps } = told()
  const write = writing(groupCommit(engine, GROUP), steps)
  await assert.rejects(write('a', () => assert.fail('no Refusal')))
  assert.ok(steps.includes('rollback to'))
})

test('what took too long is not done again: the others are, without it', async () => {
  const { engine, steps } = told()
  const write = writing(groupCommit(engine, GROUP), steps)
  const slow = () => {
    throw new Refusal(503, 'unavailable', 'Too long.')
  }
  const outcomes = await Promise.allSettled([write('a'), write('slow', slow), write('c')])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal(steps.filter((step) => step === 'slow').length, 1)
})

test('a rehearsal has a mark of its own and goes back to it', async () => {
  const { engine, steps } = told()
  const write = writing(groupCommit(engine, GROUP), steps)
  await Promise.all([write('a'), write('b', () => 1, false)])
  const rehearsed = ['savepoint', 'b', 'rollback to', 'release']
  assert.deepEqual(steps.slice(0, 8), ['begin', 'a', ...rehearsed, 'commit', 'end'])
})

test('what does not fit into the time of a group comes in the next one', async (t) => {
  const time = stoppedTime(t)
  const { engine, steps } = told()
  const write = writing(groupCommit(engine, { size: 3, time: 20 }), steps)
  await Promise.all([write('slow', () => time.pass(30)), write('b'), write('c')])
  assert.deepEqual(
    steps.filter((step) => /^(commit|slow|b|c)$/.test(step)),
    ['slow', 'commit', 'b', 'c', 'commit'],
  )
})

test('a group that may succeed when done again is done again, four times in all', async () => {
  for (const failures of [3, 4]) {
    let commits = 0
    const { engine, steps } = told((step) => {
      if (step !== 'commit') return
      commits += 1
      if (commits <= failures) throw new Error('again')
    }, 'again')
    const write = writing(groupCommit(engine, GROUP), steps)
    const outcomes = await Promise.allSettled([write('a'), write('b')])
    const wanted = failures === 3 ? 'fulfilled' : 'rejected'
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [wanted, wanted],
    )
    assert.equal(steps.filter((step) => step === 'a').length, 4)
  }
})

test('when a transaction is lost nobody in it succeeds, and the next group begins anew', async () => {
  for (const at of ['begin', 'commit']) {
    let lost = false
    const { engine, steps } = told((step) => {
      if (step !== at || lost) return
      lost = true
      throw new Error('lost')
    }, 'lost')
    const write = writing(groupCommit(engine, GROUP), steps)
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

test('more writes than could be answered in time are refused at once', async () => {
  const { engine, steps } = told()
  const write = writing(groupCommit(engine, { size: 512, time: 1_000 }), steps)
  const all = Array.from({ length: 10_001 }, (_, at) => write(String(at)))
  const outcomes = await Promise.allSettled(all)
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 1)
  assert.equal(outcomes.at(-1)?.status, 'rejected')
})
