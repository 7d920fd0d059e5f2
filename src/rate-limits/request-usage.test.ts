import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserActor, type UserActor } from '#core/actor.ts'
import { timestampOf } from '#lib/clock.ts'
import { createMemoryCounter } from './memory-counter.ts'
import { createRateLimiter, createRequestUsage, withUsageCount } from './rate-limiter.ts'

const START = Date.parse('2026-03-01T09:30:00.000Z')
const by = (credential_id: string, workspace_id = 'wsp_a'): UserActor => ({
  ...createUserActor('usr_a', workspace_id),
  type: 'api_key',
  credential_id,
  credential_name: `name of ${credential_id}`,
})

test('counts admitted and rejected requests by workspace, minute and credential', () => {
  let now = START + 59_000
  const usage = createRequestUsage(() => now)
  const limit = withUsageCount(
    createRateLimiter({ free: 2, paid: 2 }, createMemoryCounter(), () => now),
    usage,
  )
  limit(by('key_1'))
  limit(by('key_2'))
  assert.throws(() => limit(by('key_2')), /all 2 requests/)
  for (const session of ['ses_3', 'ses_4'])
    limit({ ...by(session, 'wsp_b'), type: 'user', name: 'Ada', credential_name: null })
  now += 1_000
  limit(by('key_1'))
  const taken = usage.drain()
  const key = (id: string) => ({
    credential_id: id,
    credential_type: 'api_key',
    name: `name of ${id}`,
  })
  const at = '2026-03-01T09:30:00.000Z'
  assert.deepEqual(taken.get('wsp_a'), [
    { at, ...key('key_1'), used: 1, refused: 0 },
    { at, ...key('key_2'), used: 1, refused: 1 },
    { at: '2026-03-01T09:31:00.000Z', ...key('key_1'), used: 1, refused: 0 },
  ])
  assert.deepEqual(taken.get('wsp_b'), [
    { at, credential_id: 'usr_a', credential_type: 'user', name: 'Ada', used: 2, refused: 0 },
  ])
  assert.equal(usage.drain().size, 0)
  limit(by('key_1'))
  assert.deepEqual(
    usage
      .drain()
      .get('wsp_a')
      ?.map(({ used }) => used),
    [1],
  )
})

test('reports the busiest credentials and merges all others', () => {
  const usage = createRequestUsage(() => START)
  for (let key = 0; key < 80; key++) {
    for (let times = 0; times <= (key === 20 ? 9 : 0); times++)
      usage.record(by(`key_${key}`), false)
  }
  const counts = usage.drain().get('wsp_a') ?? []
  assert.equal(counts.length, 11)
  assert.deepEqual([counts[0]?.credential_id, counts[0]?.used], ['key_20', 10])
  assert.deepEqual([counts.at(-1)?.credential_id, counts.at(-1)?.name], ['', ''])
  assert.equal(
    counts.reduce((sum, { used }) => sum + used, 0),
    89,
  )
})

test('counts for the present minute after the clock was set back', () => {
  let now = START
  const usage = createRequestUsage(() => now)
  usage.record(by('key_1'), false)
  now -= 3_600_000
  usage.record(by('key_1'), false)
  const counts = usage.drain().get('wsp_a') ?? []
  const minutes = [START, now].map((at) => timestampOf(at))
  assert.deepEqual(
    counts.map(({ at, used }) => [at, used]),
    minutes.map((at) => [at, 1]),
  )
})

test('limits the counts kept in memory', () => {
  let now = START
  const usage = createRequestUsage(() => now)
  for (let minute = 0; minute < 10; minute++) {
    for (let at = 0; at < 20_000; at++) usage.record(by('key_1', `wsp_${at}`), false)
    now += 60_000
  }
  const counts = [...usage.drain().values()].flat().length
  assert.ok(counts >= 50_000 && counts <= 50_011, `${counts}`)
})

test('merges other people apart from other API keys, because their limits differ', () => {
  const usage = createRequestUsage(() => START)
  for (let at = 0; at < 60; at++) {
    usage.record(by(`key_${at}`), false)
    usage.record({ ...by(`ses_${at}`), type: 'user', user_id: `usr_${at}` }, at % 2 === 0)
  }
  const counts = usage.drain().get('wsp_a') ?? []
  const sumOf = (isSession: boolean, field: 'used' | 'refused') =>
    counts
      .filter(({ credential_type }) => (credential_type === 'user') === isSession)
      .reduce((sum, count) => sum + count[field], 0)
  assert.deepEqual([sumOf(false, 'used'), sumOf(false, 'refused')], [60, 0])
  assert.deepEqual([sumOf(true, 'used'), sumOf(true, 'refused')], [30, 30])
  assert.deepEqual(
    counts.slice(-2).map(({ credential_id, credential_type }) => [credential_id, credential_type]),
    [
      ['', 'others'],
      ['sessions', 'user'],
    ],
  )
})
