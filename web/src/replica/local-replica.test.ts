import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  LocalReplica,
  type ReplicaChange,
  type ReplicaDeps,
  type ReplicaScope,
  type ScopeHead,
  ScopeUnavailableError,
  type VersionedRecord,
} from './local-replica.ts'

interface ReplicaTestTask extends VersionedRecord {
  readonly title: string
  readonly comments?: number
  readonly description?: string
}

const HISTORY = 'history'
const createTask = (id: string, fields: Partial<ReplicaTestTask> = {}): ReplicaTestTask => ({
  id,
  project_id: 'open',
  version: 1,
  title: id,
  ...fields,
})
const put = (record: ReplicaTestTask) => ({ op: 'put', record }) as const
const OPEN: ReplicaScope<ReplicaTestTask> = {
  name: 'open',
  project_id: 'open',
  includes: ({ project_id }) => project_id === 'open',
}

/** A replica whose reads find nothing, unless a test says otherwise. */
function createReplica(deps: Partial<ReplicaDeps<ReplicaTestTask>> = {}) {
  const changes: string[] = []
  const replica = new LocalReplica<ReplicaTestTask>({
    load: async (_scope, since) => ({ history: HISTORY, n: since?.n ?? 0, isWhole: !since }),
    read: async () => ({ history: HISTORY, n: 0, changes: [] }),
    waitToRetry: () => new Promise(() => undefined),
    isNeeded: () => false,
    onChange: (ids) => changes.push([...ids].join()),
    onScopeChange: (name) =>
      changes.push(`${name} is ${replica.getScopeState(name)?.mode ?? 'released'}`),
    ...deps,
  })
  const follow = (after: number, n: number, ...tasks: ReplicaTestTask[]) =>
    replica.follow({ history: HISTORY, after, n, changes: tasks.map(put) })
  return { replica, changes, follow }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('completes a row by a read of the same version, whichever has the greater number', async () => {
  const { replica, follow } = createReplica()
  const whole = createTask('a', { description: 'long' })
  follow(4, 4)
  replica.takeReply(put(createTask('a', { comments: 1 })), 5)
  replica.takeReply(put(createTask('a', { comments: 0, description: 'long' })), 4)
  assert.deepEqual(replica.get('a'), { ...whole, comments: 1 })
  replica.takeReply(put(createTask('a', { comments: 2 })), 6)
  assert.deepEqual(replica.get('a'), { ...whole, comments: 2 })
  follow(6, 7, createTask('a', { version: 2 }))
  assert.deepEqual(replica.get('a'), createTask('a', { version: 2 }))
  follow(7, 8, createTask('b', { comments: 1 }))
  replica.takeReply(put(createTask('b', { comments: 0, description: 'long' })), 7)
  assert.deepEqual(replica.get('b'), createTask('b', { comments: 1, description: 'long' }))
})

test('keeps a record the same object, and announces nothing, while it is equal', () => {
  const { replica, changes, follow } = createReplica()
  replica.takeReply(put(createTask('a', { description: 'long' })), 1)
  const before = replica.get('a')
  follow(1, 2, createTask('a'))
  replica.takeReply(put(createTask('a', { title: 'older' })), 1)
  assert.equal(replica.get('a'), before)
  assert.deepEqual(changes, ['a'])
})

test('says why a scope could not be loaded, and loads it at once when it is asked to', async () => {
  const error = new Error('No network')
  const replies = [Promise.reject(error), { history: HISTORY, n: 3, isWhole: true }]
  const { replica, changes } = createReplica({ load: async () => replies.shift() ?? never })
  replica.hold(OPEN)
  await settle()
  assert.deepEqual(replica.getScopeState('open'), { mode: 'loading', n: undefined, error })
  assert.equal(replica.getScopeState('open'), replica.getScopeState('open'))
  replica.retry('open')
  await settle()
  assert.deepEqual(replica.getScopeState('open'), { mode: 'loaded', n: 3, error: undefined })
  replica.release('open')
  assert.deepEqual(changes, [
    'open is loading',
    'open is loading',
    'open is loaded',
    'open is released',
  ])
})

test('does not begin with the copy of another history', async () => {
  const { replica, follow } = createReplica({ load: () => never })
  follow(9, 9)
  replica.hold(OPEN, { history: 'former history', n: 20, records: [createTask('a')] })
  assert.equal(replica.get('a'), undefined)
  assert.equal(replica.history, HISTORY)
})

test('of two stored copies of a record the newer scope decides, in either order', () => {
  const mine = { name: 'mine', includes: () => true }
  const older = { history: HISTORY, n: 3, records: [createTask('a')] }
  const newer = { history: HISTORY, n: 9, records: [] }
  const deps = { load: () => never }
  const { replica } = createReplica(deps)
  replica.hold(mine, older)
  assert.ok(replica.get('a'))
  replica.hold(OPEN, newer)
  assert.equal(replica.get('a'), undefined)
  const { replica: reverse } = createReplica(deps)
  reverse.hold(OPEN, newer)
  reverse.hold(mine, older)
  assert.equal(reverse.get('a'), undefined)
})

test('takes nothing from a batch that another tab has shared late', () => {
  const { replica, follow } = createReplica({ load: () => never })
  replica.hold(OPEN)
  follow(0, 5)
  follow(5, 6)
  follow(0, 5, createTask('a'))
  assert.equal(replica.position?.n, 6)
  assert.equal(replica.get('a'), undefined)
})

test('lets the stream begin where no loaded scope has to be loaded again', async () => {
  const numbers = new Map([
    ['open', 7],
    ['mine', 5],
  ])
  const { replica } = createReplica({
    load: async ({ name }) => ({ history: HISTORY, n: numbers.get(name) ?? 0, isWhole: true }),
  })
  assert.equal(replica.position, undefined)
  replica.hold(OPEN)
  replica.hold({ name: 'mine', includes: () => true })
  await settle()
  assert.deepEqual(replica.position, { history: HISTORY, n: 5 })
})

test('a search takes its records, with what has changed meanwhile, and asks once', async () => {
  const { replica, follow } = createReplica()
  follow(4, 4)
  const reply = Promise.withResolvers<{ n: number; records: ReplicaTestTask[]; total: number }>()
  const result = replica.query(() => reply.promise)
  follow(4, 6, createTask('a', { version: 2, title: 'changed' }))
  replica.follow({
    history: HISTORY,
    after: 6,
    n: 7,
    changes: [{ op: 'delete', id: 'b', project_id: 'open' }],
  })
  reply.resolve({ n: 5, records: ['a', 'b', 'c'].map((id) => createTask(id)), total: 9 })
  assert.equal((await result).total, 9)
  assert.deepEqual(
    [...replica.records()].map(({ title }) => title),
    ['changed', 'c'],
  )
  const error = new Error('No network')
  await assert.rejects(
    replica.query(() => Promise.reject(error)),
    error,
  )
  assert.equal(replica.isLoading, false)
})

test('a search of a former history leaves nothing', async () => {
  const { replica, follow } = createReplica()
  follow(9, 9)
  const reply = Promise.withResolvers<{ n: number; records: ReplicaTestTask[] }>()
  const result = replica.query(() => reply.promise)
  replica.follow({ history: 'next history', after: 3, n: 3, changes: [] })
  reply.resolve({ n: 9, records: [createTask('a')] })
  await result
  assert.equal(replica.get('a'), undefined)
})

test('what comes before the history is known is read again when the stream begins', async () => {
  const readIds: string[] = []
  const { replica, follow } = createReplica({
    read: async (ids) => {
      readIds.push(...ids)
      return { history: HISTORY, n: 3, changes: [put(createTask('b'))] }
    },
  })
  replica.takeReply(put(createTask('a')), 8)
  await replica.query(async () => ({ n: 9, records: [createTask('b')] }))
  follow(2, 3)
  await settle()
  assert.deepEqual(readIds, ['a', 'b'])
  assert.deepEqual([...replica.records()], [createTask('b')])
})

test('a late reply of a former history does not begin it again', async () => {
  const reply = Promise.withResolvers<{ history: string; n: number; changes: [] }>()
  const { replica, follow } = createReplica({ read: () => reply.promise })
  follow(9, 9)
  void replica.read(['a'])
  replica.follow({ history: 'next history', after: 3, n: 3, changes: [] })
  reply.resolve({ history: HISTORY, n: 9, changes: [] })
  await settle()
  assert.deepEqual(replica.position, { history: 'next history', n: 3 })
})

test('a read of a former history takes nothing, even if none was known when it began', async () => {
  const reply = Promise.withResolvers<{ n: number; changes: ReplicaChange<ReplicaTestTask>[] }>()
  const { replica, follow } = createReplica({ read: () => reply.promise })
  void replica.read(['a'])
  follow(9, 9)
  replica.follow({ history: 'next history', after: 3, n: 3, changes: [] })
  reply.resolve({ n: 9, changes: [put(createTask('a'))] })
  await settle()
  assert.equal(replica.get('a'), undefined)
})

test('a record that a load drops does not come back in an earlier state', async () => {
  const head = Promise.withResolvers<ScopeHead>()
  const { replica, follow } = createReplica({
    load: ({ name }) => (name === 'mine' ? head.promise : never),
    read: async () => ({ n: 7, changes: [put(createTask('a', { version: 2, title: 'mine' }))] }),
  })
  follow(4, 4)
  replica.hold(OPEN)
  replica.hold({ name: 'mine', includes: ({ title }) => title === 'mine' })
  follow(4, 5, createTask('a'))
  await replica.read(['a'])
  head.resolve({ history: HISTORY, n: 8, isWhole: true })
  await settle()
  assert.equal(replica.get('a'), undefined)
})

test('a scope that was unavailable in a former history is loaded in the next one', async () => {
  const unavailable = Promise.withResolvers<never>()
  const replies = [unavailable.promise, { history: 'next history', n: 3, isWhole: true }]
  const { replica, follow } = createReplica({
    load: async () => replies.shift() ?? never,
    waitToRetry: async () => undefined,
  })
  follow(9, 9)
  replica.hold(OPEN)
  replica.follow({ history: 'next history', after: 3, n: 3, changes: [] })
  unavailable.reject(new ScopeUnavailableError(9))
  await settle()
  assert.equal(replica.getScopeState('open')?.mode, 'loaded')
})

test('a load of which a part was not of the present history is repeated', async () => {
  const lastPart = Promise.withResolvers<void>()
  const head = { history: 'next history', n: 3, isWhole: true }
  let loads = 0
  const { replica, follow } = createReplica({
    load: async (_scope, _since, take) => {
      loads += 1
      await settle()
      take(head, [put(createTask('a'))])
      await lastPart.promise
      return head
    },
    waitToRetry: async () => undefined,
  })
  replica.hold(OPEN)
  follow(9, 9)
  await settle()
  replica.follow({ history: 'next history', after: 3, n: 3, changes: [] })
  lastPart.resolve()
  await settle()
  await settle()
  assert.equal(loads, 2)
  assert.ok(replica.get('a'))
})

test('an own creation stays without a scope, unless it was deleted before the reply came', async () => {
  const { replica, follow } = createReplica()
  follow(4, 4)
  replica.takeReply(put(createTask('a')), 5)
  follow(4, 6, createTask('a', { version: 2, title: 'changed' }))
  assert.equal(replica.get('a')?.title, 'changed')
  for (const [n, id] of ['b', 'c'].entries())
    replica.follow({
      history: HISTORY,
      after: 6 + n,
      n: 7 + n,
      changes: [{ op: 'delete', id, project_id: 'open' }],
    })
  replica.takeReply(put(createTask('c')), 6)
  assert.equal(replica.get('c'), undefined)
})

test('remembers the last 1,000 changes, and reads again what is older', async () => {
  const readIds: string[] = []
  const read: ReplicaDeps<ReplicaTestTask>['read'] = async (ids) => {
    readIds.push(...ids)
    return { history: HISTORY, n: 2_000, changes: [] }
  }
  const { replica, follow } = createReplica({ read })
  follow(0, 0)
  for (let n = 1; n <= 1_500; n++) follow(n - 1, n, createTask(`t${n}`))
  replica.takeReply(put(createTask('a')), 600)
  assert.deepEqual(readIds, [])
  // The last change of t400 is forgotten: perhaps it was changed again, or deleted.
  replica.takeReply(put(createTask('t400')), 300)
  await settle()
  assert.deepEqual(readIds, ['t400'])
  assert.equal(replica.get('t400'), undefined)
})

test('forgets nothing that happens while something is loading', async () => {
  const reply = Promise.withResolvers<{ history: string; n: number; isWhole: boolean }>()
  const { replica, follow } = createReplica({
    load: async (_scope, _since, take) => {
      const head = await reply.promise
      take(head, [put(createTask('t1'))])
      return head
    },
  })
  follow(0, 0)
  replica.hold({ name: 'mine', includes: ({ title }) => title === 't1' })
  for (let n = 1; n <= 1_500; n++) follow(n - 1, n, createTask(`t${n}`, { title: 'changed' }))
  reply.resolve({ history: HISTORY, n: 0, isWhole: true })
  await settle()
  assert.equal(replica.getScopeState('mine')?.mode, 'loaded')
  assert.equal(replica.get('t1'), undefined)
})

test('reads thousands of records in parts of 100, and drops those that do not exist', async () => {
  const counts: number[] = []
  const { replica } = createReplica({
    read: async (ids) => {
      counts.push(ids.length)
      const existing = ids.filter((id) => id !== 't7').map((id) => put(createTask(id)))
      return { history: HISTORY, n: 3, changes: existing }
    },
  })
  replica.takeReply(put(createTask('t7')), 2)
  await replica.read(Array.from({ length: 1_050 }, (_, at) => `t${at}`))
  assert.deepEqual(counts, [...Array.from({ length: 10 }, () => 100), 50])
  assert.equal([...replica.records()].length, 1_049)
})

test('reads again after a gap only what is older', async () => {
  const { replica, follow } = createReplica({ read: () => assert.fail('It is exact') })
  follow(5, 5)
  await replica.query(async () => ({ n: 7, records: [createTask('a')] }))
  follow(7, 8)
  assert.ok(replica.get('a'))
})

test('repeats a read that is older than a gap in the stream', async () => {
  const numbers = [5, 9]
  const { replica, follow } = createReplica({
    read: async () => ({ history: HISTORY, n: numbers.shift() ?? 0, changes: [] }),
    waitToRetry: async () => undefined,
  })
  follow(9, 9)
  await replica.read(['a'])
  assert.deepEqual(numbers, [])
})

test('a released scope takes its records along, but none that was read by itself', async () => {
  const records = ['listed', 'read', 'found', 'written'].map((id) => createTask(id))
  const [, read, found, written] = records
  assert.ok(read && found && written)
  const { replica, follow } = createReplica({
    load: () => never,
    read: async () => ({ n: 5, changes: [put(read)] }),
  })
  follow(5, 5)
  replica.hold(OPEN, { history: HISTORY, n: 5, records })
  await replica.read(['read'])
  await replica.query(async () => ({ n: 5, records: [found] }))
  // So that a change of thousands of tasks does not keep them.
  replica.takeReply(put(written), 5)
  replica.release('open')
  assert.deepEqual(
    [...replica.records()].map(({ id }) => id),
    ['read', 'found'],
  )
})

test('another history reads again what is needed, and leaves the rest', async () => {
  const reads: (readonly string[])[] = []
  const { replica, follow } = createReplica({
    isNeeded: (id) => id === 'needed',
    read: async (ids) => {
      reads.push(ids)
      return { n: 3, changes: [put(createTask('needed', { title: 'restored' }))] }
    },
  })
  follow(9, 9)
  const records = [createTask('needed'), createTask('former')]
  await replica.query(async () => ({ n: 9, records }))
  replica.follow({ history: 'another history', after: 3, n: 3, changes: [] })
  await settle()
  assert.deepEqual(reads, [['needed']])
  assert.deepEqual(
    [...replica.records()].map(({ title }) => title),
    ['restored'],
  )
})

test('loads again only what a change of rights concerns', async () => {
  const loaded: string[] = []
  const { replica } = createReplica({
    load: async ({ name }, _since, take) => {
      loaded.push(name)
      const head = { history: HISTORY, n: 5, isWhole: true }
      if (name === 'other') take(head, [put(createTask('a', { project_id: name }))])
      return head
    },
    read: () => assert.fail('Its records are loaded with the scope'),
  })
  replica.hold(OPEN)
  replica.hold({ name: 'other', project_id: 'other', includes: ({ id }) => id === 'a' })
  replica.hold({ name: 'mine', includes: () => false })
  await settle()
  const changes = [{ op: 'reset', project_id: 'other' }] as const
  replica.follow({ history: HISTORY, after: 5, n: 6, changes })
  assert.deepEqual(loaded, ['open', 'other', 'mine', 'other', 'mine'])
})

test('loads all of a scope that was not available', async () => {
  const since: unknown[] = []
  const { replica, follow } = createReplica({
    load: async (_scope, position, take) => {
      since.push(position?.n)
      if (since.length === 2) throw new ScopeUnavailableError(5)
      const head = { history: HISTORY, n: since.length === 1 ? 3 : 9, isWhole: true }
      take(head, [put(createTask('a'))])
      return head
    },
  })
  replica.hold(OPEN)
  await settle()
  follow(5, 5)
  await settle()
  assert.equal(replica.getScopeState('open')?.mode, 'unavailable')
  assert.equal(replica.get('a'), undefined)
  follow(9, 9)
  await settle()
  assert.equal(replica.getScopeState('open')?.mode, 'loaded')
  assert.deepEqual(since, [undefined, 3, undefined])
})

const never = new Promise<never>(() => undefined)
