import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { shareBody } from './content-coding.ts'
import { type OutgoingReply, sendReply } from './send.ts'
import { UnsentReplies } from './unsent-replies.ts'

const TEXT = 'x'.repeat(10_000)

test('counts the bytes of a reply until they are sent, unless all clients share its body', async (t) => {
  const unsentReplies = new UnsentReplies()
  const counted = t.mock.method(unsentReplies, 'count')
  let outgoing: OutgoingReply = { status: 200, body: TEXT }
  const server = fastify()
  server.decorateRequest('unsentReplies', { getter: () => unsentReplies })
  server.get('/', (request, reply) => sendReply(request, reply, outgoing))
  t.after(() => server.close())
  for (const coding of ['identity', 'br']) {
    const countOf = async (reply: OutgoingReply) => {
      outgoing = reply
      counted.mock.resetCalls()
      const { rawPayload } = await server.inject({
        url: '/',
        headers: { 'accept-encoding': coding },
      })
      const sum = counted.mock.calls.reduce((bytes, call) => bytes + call.arguments[1], 0)
      return { sum, length: rawPayload.length }
    }
    const own = await countOf({ status: 200, body: TEXT })
    assert.equal(own.sum, own.length, coding)
    const shared = await countOf({ status: 200, ...shareBody(TEXT) })
    assert.deepEqual(shared, { sum: 0, length: own.length }, coding)
  }
})
