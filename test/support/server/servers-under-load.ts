import assert from 'node:assert/strict'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { startBalancedLoad } from '../load/balanced-load.ts'
import { createTempDir } from '../system/temp-dir.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import { waitUntil } from '../system/wait-until.ts'
import { RECEIVER_SECRET, startVerifyingReceiver } from '../webhooks/verifying-receiver.ts'
import { createTestSession } from '../world/test-session.ts'
import { createTestWorkspace } from '../world/test-workspace.ts'
import { openLiveStream } from './live-stream.ts'
import { endServer, startServer } from './server-process.ts'
import { readWorkspaceContent } from './write-load.ts'

export const LOAD_CLIENTS = 6
const EXPECTED_ERRORS = new Set(['503 unavailable'])

export type ServersUnderLoad = Awaited<ReturnType<typeof startServersUnderLoad>>

/**
 * Starts two servers under load on a PostgreSQL that the test is going to disturb, with one live
 * connection and a webhook receiver for all events.
 */
export async function startServersUnderLoad(databaseUrl: string) {
  const env = {
    DOCKET_DATA_DIR: createTempDir(),
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_DATABASE_URL: databaseUrl,
  }
  const { storage } = await openStore(parseConfig(env))
  const team = await createTestWorkspace(storage)
  const { headers } = await createTestSession(storage, team, 'owner')
  await storage.close()
  const webhooks = await startVerifyingReceiver()
  const running = await Promise.all([0, 1].map(() => startServer(createTempDir(), { env })))
  const ports = running.map(({ port }) => port)
  const authorization = { authorization: `Bearer ${team.keys.owner}` }
  const reply = await fetch(`http://127.0.0.1:${ports[0]}/api/v1/webhooks`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: webhooks.urlOf('hook'), events: ['*'], secret: RECEIVER_SECRET }),
  })
  assert.equal(reply.status, 201, await reply.text())
  const live = await openLiveStream(ports[1] ?? 0, headers)
  const load = startBalancedLoad(ports, team, LOAD_CLIENTS, true)
  await waitUntil('the first write', () => load.acked.length > 0)

  return {
    env,
    team,
    running,
    ports,
    load,
    /** Sends a GET to one of the two servers. */
    ask: (at: 0 | 1, path: string) =>
      fetch(`http://127.0.0.1:${ports[at]}${path}`, { headers: authorization }),

    /** Waits until writes are acknowledged again and reach the live connection. */
    async back(): Promise<void> {
      const [acks, streamed] = [load.acked.length, live.news().length]
      await waitUntil(
        () => `${load.acked.length - acks} writes, ${live.news().length - streamed} changes since`,
        () => load.acked.length >= acks + 20 && live.news().length >= streamed + 2,
      )
    },

    /** Asserts that requests either succeeded or failed with 503. */
    clean(): void {
      assert.deepEqual(new Set(load.failed.keys()).difference(EXPECTED_ERRORS), new Set())
    },

    /** After the load: asserts that each acknowledged task exists once and was delivered. */
    async whole(): Promise<void> {
      const { tasks } = await readWorkspaceContent(env, team)
      const lost = new Set(load.acked).difference(new Set(tasks))
      assert.deepEqual([...lost], [])
      assert.equal(new Set(load.acked).size, load.acked.length)
      // Each client's last request may be committed without a reply; all others were retried.
      assert.ok(tasks.length <= load.acked.length + LOAD_CLIENTS, 'nothing is there twice')
      const sent = () => new Set([...webhooks.events.values()].map(({ subject }) => subject))
      await waitUntil(
        () => `${sent().size} of ${tasks.length} were sent`,
        () => new Set(tasks).difference(sent()).size === 0,
      )
      assert.deepEqual([...webhooks.wrong], [])
    },

    async close(): Promise<void> {
      await load.stop()
      live.close()
      await Promise.all(running.map((server) => endServer(server, 'SIGKILL')))
      await webhooks.close()
    },
  }
}
