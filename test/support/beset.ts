import assert from 'node:assert/strict'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { balanced } from '../experiments/balanced.ts'
import { emptyDir } from './dir.ts'
import { newHome } from './home.ts'
import { openLive } from './live.ts'
import { end, SECRET, start } from './process.ts'
import { RECEIVED_SECRET, receiver } from './receiver.ts'
import { contentOf } from './saved.ts'
import { sessionOf } from './session.ts'
import { until } from './until.ts'

export const CLIENTS = 12
const CLEAN = new Set(['503 unavailable'])

export type Beset = Awaited<ReturnType<typeof beset>>

/**
 * Two servers under load on a PostgreSQL to which something is going to happen, with somebody who looks
 * on, and a receiver of all events.
 */
export async function beset(databaseUrl: string) {
  const env = {
    DOCKET_DATA_DIR: emptyDir(),
    DOCKET_SECRET: SECRET,
    DOCKET_DATABASE_URL: databaseUrl,
  }
  const { storage } = await openStore(configFrom(env))
  const home = await newHome(storage)
  const { headers } = await sessionOf(storage, home, 'owner')
  await storage.close()
  const there = await receiver()
  const running = await Promise.all([0, 1].map(() => start(emptyDir(), { env })))
  const ports = running.map(({ port }) => port)
  const authorization = { authorization: `Bearer ${home.keys.owner}` }
  const reply = await fetch(`http://127.0.0.1:${ports[0]}/api/v1/webhooks`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: there.urlOf('hook'), events: ['*'], secret: RECEIVED_SECRET }),
  })
  assert.equal(reply.status, 201, await reply.text())
  const live = await openLive(ports[1] ?? 0, headers)
  const load = balanced(ports, home, CLIENTS, true)
  await until('the first write', () => load.acked.length > 0)

  return {
    env,
    home,
    running,
    ports,
    load,
    /** Asks one of the two for something. */
    ask: (at: 0 | 1, path: string) =>
      fetch(`http://127.0.0.1:${ports[at]}${path}`, { headers: authorization }),

    /** Waits until all is as it should be: writes are acknowledged, and who looks on is told of them. */
    async back(): Promise<void> {
      const [acks, told] = [load.acked.length, live.heard.length]
      await until(
        () => `${load.acked.length - acks} writes, ${live.heard.length - told} notices since`,
        () => load.acked.length >= acks + 20 && live.heard.length >= told + 2,
      )
    },

    /** Nothing was answered but success and that the database is away just now. */
    clean(): void {
      assert.deepEqual(new Set(load.failed.keys()).difference(CLEAN), new Set())
    },

    /** The load is over: all that was acknowledged is there once, and was sent. */
    async whole(): Promise<void> {
      const { tasks } = await contentOf(env, home)
      const lost = new Set(load.acked).difference(new Set(tasks))
      assert.deepEqual([...lost], [])
      assert.equal(new Set(load.acked).size, load.acked.length)
      // What a client asked for last may be there without its knowing; all else it asked for again.
      assert.ok(tasks.length <= load.acked.length + CLIENTS, 'nothing is there twice')
      const sent = () => new Set([...there.events.values()].map(({ subject }) => subject))
      await until(
        () => `${sent().size} of ${tasks.length} were sent`,
        () => new Set(tasks).difference(sent()).size === 0,
      )
      assert.deepEqual([...there.wrong], [])
    },

    async close(): Promise<void> {
      await load.stop()
      live.close()
      await Promise.all(running.map((server) => end(server, 'SIGKILL')))
      await there.close()
    },
  }
}
