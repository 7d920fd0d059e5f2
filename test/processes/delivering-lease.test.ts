import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type pg from 'pg'
import { type Actor, NOBODY } from '#core/actor.ts'
import { LEASE_MS } from '#delivery/life.ts'
import { createIn } from '#resources/tasks/operations/create.ts'
import { openStore } from '#storage/open.ts'
import { type Config, configFrom } from '../../src/config.ts'
import { wrongAtTheEnd } from '../experiments/bad-sink-check.ts'
import { emptyDir } from '../support/dir.ts'
import { type Home, newHome } from '../support/home.ts'
import type { Manner } from '../support/manners.ts'
import { end, type Running, SECRET, start } from '../support/process.ts'
import { RECEIVED_SECRET, type Receiver, receiver } from '../support/receiver.ts'
import { migratedDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

/** Where a lease had to run out first, this would be too short. */
const BEFORE_LEASE_MS = LEASE_MS - 5_000

/** A channel that leads nowhere. */
const DEAF = 'postgres://127.0.0.1:9/nothing'

type Ended = { after(undo: () => unknown): void }

/** Servers on one store, a workspace in it, and a receiver that answers in the `manner` of the moment. */
async function world(t: Ended, servers: number, databaseUrl?: string) {
  const dataDir = emptyDir()
  const env = {
    DOCKET_WEBHOOK_RETRY_SECONDS: Array(50).fill('1').join(),
    ...(databaseUrl && { DOCKET_DATABASE_URL: databaseUrl }),
  }
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, ...env })
  const { storage } = await openStore(config)
  const [home, nobodys] = [await newHome(storage), await newHome(storage)]
  await storage.close()
  const sink: { manner: Manner } = { manner: 'ok' }
  const there = await receiver(() => sink.manner)
  t.after(() => there.close())
  const starting = async () => {
    const server = await start(dataDir, { env })
    t.after(() => end(server, 'SIGKILL'))
    return server
  }
  const running: Running[] = []
  for (let at = 0; at < servers; at++) running.push(await starting())
  const body = { url: there.urlOf('hook'), events: ['*'], secret: RECEIVED_SECRET }
  for (const one of [home, nobodys]) await post(running[0], one, '/api/v1/webhooks', body)
  return { home, sink, there, running, starting, quietly: () => quietly(config, nobodys) }
}

/** Makes a task without any server's hearing of it. */
async function quietly(config: Config, { workspace, people, project }: Home): Promise<void> {
  const { storage } = await openStore({ ...config, databaseListenUrl: DEAF })
  const owner: Actor = {
    ...{ ...NOBODY, workspace_id: workspace },
    ...{ type: 'user', role: 'owner', user_id: people.owner },
  }
  await storage.write(owner, (tx) => createIn(tx, { project_id: project, title: 'Nobody told' }))
  await storage.close()
}

async function post(server: Running | undefined, { keys }: Home, path: string, body: object) {
  const reply = await fetch(`http://127.0.0.1:${server?.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(reply.status, 201, await reply.text())
}

const task = (server: Running | undefined, home: Home) =>
  post(server, home, '/api/v1/tasks', { project_id: home.project, title: 'Ship it' })

const distinct = ({ received }: Receiver) => received.size

test('a server that is started after a kill sends at once what the killed one owed', async (t) => {
  const { home, sink, there, running, starting } = await world(t, 1)
  const [server] = running
  sink.manner = 'hang'
  for (let count = 0; count < 5; count++) await task(server, home)
  await until('an attempt', () => there.arrivals.length > 0)
  if (server) await end(server, 'SIGKILL')
  sink.manner = 'ok'
  await starting()
  await until('what was owed', () => distinct(there) === 5, BEFORE_LEASE_MS)
})

suite('two servers on one PostgreSQL', () => {
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    test(`when one of two servers ends by ${signal}, the other sends what it owed when the lease has run out`, async (t) => {
      const { url, admin } = await migratedDatabase()
      const { home, sink, there, running, quietly } = await world(t, 2, url)
      await task(running[0], home)
      await until('the first event', () => distinct(there) === 1)
      const holder = await holderOf(running)
      const other = running.find((one) => one !== holder)
      sink.manner = 'hang'
      // One alone: another attempt might arrive when the receiver answers again.
      await task(other, home)
      await until('the attempt that hangs', () => there.arrivals.length === 2)
      holder?.child.kill(signal)
      const sent = there.arrivals.length
      sink.manner = 'ok'
      for (let count = 0; count < 3; count++) await task(other, home)
      // The holder may have looked after the other workspace as well when both servers started.
      const release = 'update workspaces set dispatcher_id = null where id <> $1'
      await admin.query(release, [home.workspace])
      // What only a look at all workspaces finds: when the second of them came, the other has looked at
      // those of the holder as well.
      for (const count of [1, 2]) {
        await quietly()
        await until('an event of nobody', () => distinct(there) === 1 + count)
      }
      assert.equal(there.arrivals.length, sent + 2, 'the lease is waited for')
      await admin.query("update dispatchers set alive_until = '2000-01-01' where id = $1", [
        await holderIn(admin, home),
      ])
      await until('what was owed', () => distinct(there) === 7)
      await until('the end of all that is left', async () => (await leftIn(admin)) === 0)
      if (signal === 'SIGSTOP') {
        const before = await attemptsIn(admin)
        holder?.child.kill('SIGCONT')
        there.hangUp()
        await until('the end of what hung', async () => (await attemptsOf(holder)) >= sent)
        // It ends when all that it has to write down is written, or not to be written any more.
        assert.equal(await (holder && end(holder, 'SIGTERM')), 0)
        assert.deepEqual(await attemptsIn(admin), before, 'late results are dropped')
      }
      await task(other, home)
      await until('an event after it', () => distinct(there) === 8)
      await until('the end of all that is left', async () => (await leftIn(admin)) === 0)
      const ask = async (sql: string) => (await admin.query(sql)).rows
      assert.deepEqual(await wrongAtTheEnd(ask), [])
      assert.deepEqual([...there.wrong], [])
    })
  }
})

/** The dispatcher that has the lease of a workspace. */
const holderIn = async (admin: pg.Client, { workspace }: Home): Promise<string> => {
  const found = 'select dispatcher_id as id from workspaces where id = $1'
  return (await admin.query(found, [workspace])).rows[0].id
}

/** The one of the servers that has sent something. */
async function holderOf(running: readonly Running[]): Promise<Running | undefined> {
  for (const server of running) if ((await attemptsOf(server)) > 0) return server
  throw new Error('Nobody has sent anything')
}

/** How many attempts of a server have ended, whether or not they counted. */
async function attemptsOf(server: Running | undefined): Promise<number> {
  const figures = await (await fetch(`http://127.0.0.1:${server?.port}/metrics`)).text()
  const counts = figures.matchAll(/^docket_webhook_attempts_total\{.*\} (\d+)/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

const leftIn = async (admin: pg.Client): Promise<number> =>
  (await admin.query('select sum(pending_count)::int as waiting from webhooks')).rows[0].waiting

const attemptsIn = async (admin: pg.Client): Promise<unknown[]> =>
  (await admin.query('select delivery_id, number, error from delivery_attempts order by 1, 2')).rows
