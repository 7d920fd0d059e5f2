import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, NOBODY } from '#core/actor.ts'
import { memoryCounter } from './counter.ts'
import { counted, usageOf } from './usage.ts'
import { rateLimit } from './window.ts'

const START = Date.parse('2026-03-01T09:30:00.000Z')
const by = (credential_id: string, workspace_id = 'wsp_a'): Actor => ({
  ...{ ...NOBODY, type: 'api_key', workspace_id, credential_id },
  credential_name: `name of ${credential_id}`,
})

test('requests are counted by workspace, minute and credential, what is refused apart', () => {
  let now = START + 59_000
  const usage = usageOf(() => now)
  const limit = counted(
    rateLimit({ free: 2, paid: 2 }, memoryCounter(), () => now),
    usage,
  )
  limit(by('key_1'))
  limit(by('key_2'))
  assert.throws(() => limit(by('key_2')), /its 2 requests/)
  limit({ ...by('ses_3', 'wsp_b'), type: 'user', name: 'Ada', credential_name: null })
  now += 1_000
  limit(by('key_1'))
  const taken = usage.take()
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
    { at, credential_id: 'ses_3', credential_type: 'user', name: 'Ada', used: 1, refused: 0 },
  ])
  assert.equal(usage.take().size, 0)
  limit(by('key_1'))
  assert.deepEqual(
    usage
      .take()
      .get('wsp_a')
      ?.map(({ used }) => used),
    [1],
  )
})

test('the busiest credentials are told apart, and all others together', () => {
  const usage = usageOf(() => START)
  for (let key = 0; key < 80; key++) {
    for (let times = 0; times <= (key === 20 ? 9 : 0); times++) usage.note(by(`key_${key}`), false)
  }
  const counts = usage.take().get('wsp_a') ?? []
  assert.equal(counts.length, 11)
  assert.deepEqual([counts[0]?.credential_id, counts[0]?.used], ['key_20', 10])
  assert.deepEqual([counts.at(-1)?.credential_id, counts.at(-1)?.name], ['', ''])
  assert.equal(
    counts.reduce((sum, { used }) => sum + used, 0),
    89,
  )
})

test('what nobody takes does not fill the memory', () => {
  let now = START
  const usage = usageOf(() => now)
  for (let minute = 0; minute < 10; minute++) {
    for (let at = 0; at < 20_000; at++) usage.note(by('key_1', `wsp_${at}`), false)
    now += 60_000
  }
  const counts = [...usage.take().values()].flat().length
  assert.ok(counts >= 50_000 && counts <= 50_011, `${counts}`)
})
