import assert from 'node:assert/strict'
import { createServer, get, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { unauthenticated } from '#auth/authenticator.ts'
import { createUserActor, type UserActor } from '#core/actor.ts'
import { CommitListeners } from '#core/commit-listeners.ts'
import type { FeedPage } from '#core/route.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { ChangeSignal, FeedStream, FeedStreams, STUCK_RETRY_MS } from './feed.ts'
import { sendPiece } from './reply/stream-reply.ts'

const WORKSPACE = 'wsp_1'
const READER = createUserActor('usr_1', WORKSPACE)

const createResponse = () => new ServerResponse(new IncomingMessage(new Socket()))

interface OpenedStreamOptions {
  authenticate?: () => UserActor
  loadRights?: () => Promise<unknown>
}

/** Serves streams of a feed whose pages `read` returns, and opens one. */
async function openStream(
  t: TestContext,
  read: (position: number, raw: ServerResponse) => FeedPage | Promise<FeedPage>,
  { authenticate = () => READER, loadRights }: OpenedStreamOptions = {},
) {
  const listeners = new CommitListeners()
  const streams = new FeedStreams(new Registry(), listeners, loadRights)
  const errors: unknown[] = []
  const opened = Promise.withResolvers<ServerResponse>()
  const server = createServer(async (_, raw) => {
    const feed = {
      read: async (position: unknown) => read(Number(position ?? 0), raw),
      toToken: (position: unknown) => String(position),
    }
    const stream = new FeedStream(raw, READER, feed, {
      signal: new ChangeSignal(listeners, WORKSPACE, raw),
      collectMs: 0,
      send: (text) => sendPiece(raw, text, () => {}),
      authenticate,
      describeError: ({ code }) => code,
      onError: (error) => errors.push(error),
    })
    opened.resolve(raw)
    const first = await feed.read(0)
    streams.add(stream)
    void stream.run(first)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const reply = Promise.withResolvers<IncomingMessage>()
  const outgoing = get({ host: '127.0.0.1', port }, reply.resolve)
  outgoing.on('error', () => {})
  t.after(() => {
    outgoing.destroy()
    server.close()
  })
  return { streams, errors, raw: await opened.promise, reply: reply.promise, outgoing }
}

const pageOf = (position: number, json: string, has_more = true): FeedPage => ({
  entries: [{ json, position }],
  position,
  has_more,
})

test('reads on only when its reader has taken what was read before', async (t) => {
  const json = JSON.stringify('x'.repeat(1_000_000))
  const waiting: number[] = []
  const read = (position: number, { writableLength }: ServerResponse) => {
    waiting.push(writableLength)
    // Far more than all socket buffers hold.
    return pageOf(position + 1, json, position < 100)
  }
  const { raw, reply } = await openStream(t, read)
  const incoming = await reply
  incoming.pause()
  await waitUntil('bytes that wait', () => raw.writableLength > 0)
  incoming.resume()
  await waitUntil('all pages', () => waiting.length > 100)
  assert.deepEqual(new Set(waiting), new Set([0]))
})

test('a slow reader gets everything, and leaves no listeners behind', async (t) => {
  const json = JSON.stringify('x'.repeat(100_000))
  const { raw, reply, errors } = await openStream(t, (position) =>
    pageOf(position + 1, json, position < 50),
  )
  const count = () => ['drain', 'error'].map((name) => raw.listenerCount(name))
  const before = count()
  let bytes = 0
  let text = ''
  for await (const chunk of await reply) {
    bytes += chunk.length
    text = `${text}${chunk}`.slice(-1_000)
    if (text.includes('event: caught_up')) break
  }
  assert.ok(bytes > 5_000_000)
  assert.deepEqual(count(), raw.destroyed ? count() : before)
  assert.deepEqual(errors, [])
})

test('a long snapshot lets other work have its turns', async (t) => {
  let turn = 0
  let immediate = setImmediate(function count() {
    turn += 1
    immediate = setImmediate(count)
  })
  t.after(() => clearImmediate(immediate))
  const turns: number[] = []
  const { reply } = await openStream(t, (position) => {
    turns.push(turn)
    return pageOf(position + 1, '{}', position < 200)
  })
  ;(await reply).resume()
  await waitUntil('all pages', () => turns.length > 200)
  const most = Math.max(
    ...Object.values(Object.groupBy(turns, (one) => one)).map((all) => all?.length ?? 0),
  )
  assert.ok(most <= 2, `${most} pages in one turn`)
})

test('reads at intervals while the rights of its reader change', async (t) => {
  const times: number[] = []
  const { reply } = await openStream(t, (position) => {
    times.push(performance.now())
    return { entries: [], position, has_more: times.length < 4 }
  })
  ;(await reply).resume()
  await waitUntil('the end of the feed', () => times.length >= 4)
  const between = times.slice(2, 4).map((time, at) => time - (times[at + 1] ?? Number.NaN))
  // Timers may be a millisecond early.
  for (const ms of between) assert.ok(ms >= STUCK_RETRY_MS - 2, `${ms} ms`)
})

test('a stream that opens while the server stops ends, and its last read is no error', async (t) => {
  const reading = Promise.withResolvers<FeedPage>()
  let reads = 0
  const { streams, reply, errors } = await openStream(t, async () => {
    reads += 1
    return reading.promise
  })
  await waitUntil('its first read', () => reads === 1)
  await streams.end()
  reading.resolve(pageOf(1, '{}'))
  let text = ''
  for await (const chunk of await reply) text += chunk
  assert.match(text, /^retry: \d{4}\n\n$/)
  assert.equal(reads, 1)
  assert.deepEqual(errors, [])
})

test('ends for a session that has gone to another workspace', async (t) => {
  let actor = READER
  const { reply } = await openStream(t, (position) => pageOf(position + 1, '{}', false), {
    authenticate: () => actor,
  })
  actor = createUserActor('usr_1', 'wsp_2')
  let text = ''
  for await (const chunk of await reply) text += chunk
  assert.match(text, /event: end\ndata: insufficient_role\n\n$/)
  assert.equal(text.match(/event: change/g)?.length, 1)
})

test('a signal between a read and the wait is not lost, and nobody listens after the end', async () => {
  const listeners = new CommitListeners()
  const raw = createResponse()
  const signal = new ChangeSignal(listeners, WORKSPACE, raw)
  listeners.publishMissed()
  assert.equal(await signal.wait(60_000), true)
  assert.equal(await signal.wait(1), false)
  const waiting = signal.wait(60_000)
  raw.emit('close')
  assert.equal(await waiting, true)
  signal.close()
  signal.close()
  assert.equal(await signal.wait(60_000), false)
  listeners.publishMissed()
  assert.equal(listeners.missed, 1)
  assert.deepEqual(listeners.workspaceIds, [])
})

test('the slots of a workspace are limited, freed, and closed with the server', async () => {
  const listeners = new CommitListeners()
  const streams = new FeedStreams(new Registry(), listeners)
  const releases = Array.from({ length: 100 }, () => streams.acquireSlot(WORKSPACE))
  assert.throws(() => streams.acquireSlot(WORKSPACE), { status: 409, code: 'limit_reached' })
  streams.acquireSlot('wsp_2')()
  releases[0]?.()
  streams.acquireSlot(WORKSPACE)
  const signal = new ChangeSignal(listeners, WORKSPACE, createResponse())
  const release = streams.addWaiting(signal)
  await streams.end()
  assert.ok(signal.isClosed)
  release()
  assert.throws(() => streams.acquireSlot('wsp_2'), { status: 503 })
  const late = new ChangeSignal(listeners, WORKSPACE, createResponse())
  streams.addWaiting(late)
  assert.ok(late.isClosed)
})

test('an interruption between a check of rights and the wait ends that wait, and no other', async (t) => {
  // No wait ends by its time.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const signal = new ChangeSignal(new CommitListeners(), WORKSPACE, createResponse())
  const outcomeOf = (wait: Promise<boolean>) => Promise.race([wait, nextTurn('waits')])
  signal.interrupt()
  assert.equal(await outcomeOf(signal.wait(5_000)), false)
  const next = signal.wait(5_000)
  assert.equal(await outcomeOf(next), 'waits')
  signal.interrupt()
  assert.equal(await outcomeOf(next), false)
})

test('an open stream does nothing while no rights change, and ends soon when its own do', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const state = { rights: 1, isMember: true, checks: 0, loads: 0 }
  const { reply } = await openStream(t, () => ({ entries: [], position: 1, has_more: false }), {
    authenticate() {
      state.checks += 1
      if (state.isMember) return READER
      throw unauthenticated('ended')
    },
    async loadRights() {
      state.loads += 1
      return state.rights
    },
  })
  const incoming = await reply
  let text = ''
  incoming.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const pass = async () => {
    const { loads } = state
    t.mock.timers.tick(500)
    await waitUntil('the rights are known', () => state.loads > loads)
  }
  await pass()
  await waitUntil('the first check', () => state.checks > 0)
  const { checks } = state
  for (let time = 0; time < 10; time += 1) await pass()
  assert.equal(state.checks, checks)
  Object.assign(state, { rights: 2, isMember: false })
  await pass()
  await waitUntil('the end', () => text.includes('event: end'))
})
