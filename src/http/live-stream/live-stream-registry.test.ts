import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createUserActor } from '#core/actor.ts'
import { ChangeFeed } from '#core/changes/change-feed.ts'
import { LiveStream } from './live-stream.ts'
import { LiveStreamRegistry } from './live-stream-registry.ts'

test('a live stream that opens while the server stops ends', async () => {
  const streams = new LiveStreamRegistry(new Registry(), new ChangeFeed())
  const actor = createUserActor('usr_1', 'wsp_1')
  streams.acquireSlot(actor.user_id)
  await streams.end()
  const raw = new ServerResponse(new IncomingMessage(new Socket()))
  const deps = {
    authenticate: () => actor,
    loadVisibleProjects: async () => null,
    onError: assert.ifError,
  }
  streams.add(new LiveStream(raw, actor, deps))
  assert.ok(raw.writableEnded)
  assert.throws(() => streams.acquireSlot('usr_2'), { status: 503 })
})
