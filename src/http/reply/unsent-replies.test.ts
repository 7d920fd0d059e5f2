import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import { UnsentReplies } from './unsent-replies.ts'

const LIMIT = 64 * 1_024 * 1_024

const requestOf = (workspace: string | null, ip = '203.0.113.1') => ({
  actor: workspace === null ? null : createUserActor('usr_1', workspace),
  ip,
  raw: { socket: { destroyed: false } },
  unsent: undefined,
})
const unavailable = { status: 503, code: 'unavailable', headers: { 'retry-after': '1' } }

test('sums unsent bytes by workspace, and without a credential by network', () => {
  const replies = new UnsentReplies()
  const [first, stranger] = [requestOf('wsp_1'), requestOf(null, '2001:db8::1')]
  for (const [request, same, others] of [
    [first, [requestOf('wsp_1')], [requestOf('wsp_2'), requestOf(null)]],
    [stranger, [requestOf(null, '2001:db8::2')], [requestOf(null, '2001:db8:0:1::1')]],
  ] as const) {
    replies.count(request, LIMIT)
    for (const one of same) replies.assertRoomFor(one)
    replies.count(request, 1)
    for (const one of same) assert.throws(() => replies.assertRoomFor(one), unavailable)
    for (const one of others) replies.assertRoomFor(one)
    replies.release(request)
    for (const one of same) replies.assertRoomFor(one)
  }
})

test('counts nothing for a client that has left', () => {
  const replies = new UnsentReplies()
  const request = requestOf('wsp_1')
  request.raw.socket.destroyed = true
  replies.release(request)
  replies.count(request, LIMIT + 1)
  replies.assertRoomFor(requestOf('wsp_1'))
})

test('makes eight replies of a workspace at once, and none that finds no room in its turn', async () => {
  const replies = new UnsentReplies()
  const requests = Array.from({ length: 10 }, () => requestOf('wsp_1'))
  const begun: (() => void)[] = []
  const made = requests.map((request) =>
    replies.make(request, () => new Promise<void>((resolve) => begun.push(resolve))),
  )
  assert.equal(begun.length, 8)
  await replies.make(requestOf('wsp_2'), () => {})
  const [first = assert.fail()] = requests
  replies.count(first, LIMIT + 1)
  begun[0]?.()
  await made[0]
  await assert.rejects(Promise.resolve(made[8]), unavailable)
  await assert.rejects(Promise.resolve(made[9]), unavailable)
  assert.equal(begun.length, 8)
  replies.release(first)
  await replies.make(requestOf('wsp_1'), () => {})
})
