import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openPostgresPool } from '#db/postgres/pool.ts'
import {
  type EmbeddedPostgres,
  postgresUrlOf,
  startEmbeddedPostgres,
} from '../support/postgres/embedded-postgres.ts'
import {
  createServerSignaller,
  makeStandbySynchronous,
  type Standby,
  startStandby,
  withAdminClient,
} from '../support/postgres/standby.ts'
import {
  LOAD_CLIENTS,
  type ServersUnderLoad,
  startServersUnderLoad,
} from '../support/server/servers-under-load.ts'
import { waitUntil } from '../support/system/wait-until.ts'

let primary: EmbeddedPostgres
let standby: Standby
let way: TcpProxy
let on: ServersUnderLoad

before(async () => {
  primary = await startEmbeddedPostgres({ durable: true })
  standby = await startStandby(primary)
  await makeStandbySynchronous(primary)
  way = await startTcpProxy(primary.port)
  on = await startServersUnderLoad(postgresUrlOf(way.port))
})
after(async () => {
  await on.close()
  await way.close()
  await standby.remove()
  await primary.remove()
})

const count503 = () => on.load.failed.get('503 unavailable') ?? 0

/** Waits until clients got this many more 503s. */
async function until503(times = 2 * LOAD_CLIENTS): Promise<void> {
  const before = count503()
  await waitUntil('503', () => count503() >= before + times)
}

/** Resolves after every reply that both servers have sent so far has arrived. */
const flushReplies = () => Promise.all(([0, 1] as const).map((at) => on.ask(at, '/healthz')))

test('uses no connection to a read-only server', async () => {
  way.redirect(standby.port)
  // Earlier commits may still be acknowledged.
  await until503()
  await flushReplies()
  const acks = on.load.acked.length
  assert.equal((await on.ask(0, '/api/v1/tasks?limit=1')).status, 503)
  await until503()
  assert.equal(on.load.acked.length, acks)
  way.redirect(primary.port)
  await on.back()
  on.clean()
})

test('refuses to start if commits do not wait for the standby', async () => {
  const options = encodeURIComponent('-c synchronous_commit=local')
  const risky = { ...on.env, DOCKET_DATABASE_URL: `${primary.url}?options=${options}` }
  await assert.rejects(openStore(parseConfig(risky)), /synchronous_commit = local beside/)
})

test('a primary that hangs causes 503s, and no request waits for it', async () => {
  const all = await createServerSignaller(primary)
  all('SIGSTOP')
  // It hangs until all clients have their replies, so none of them can have waited for it.
  await until503(LOAD_CLIENTS).finally(() => all('SIGCONT'))
  await on.back()
  on.clean()
})

test('a cancelled wait for the standby is no success', async () => {
  const all = await createServerSignaller(standby)
  all('SIGSTOP')
  let more = Number.NaN
  try {
    more = await withAdminClient(primary.url, async (admin) => {
      const waiting = "from pg_stat_activity where wait_event = 'SyncRep'"
      const waits = async () => (await admin.query(`select ${waiting}`)).rowCount !== 0
      await waitUntil('commits that wait', waits)
      // Commits that the standby already has are acknowledged by then.
      await flushReplies()
      const [acks, before] = [on.load.acked.length, count503()]
      await admin.query(`select pg_cancel_backend(pid) ${waiting}`)
      await waitUntil('503', () => count503() > before)
      await flushReplies()
      return on.load.acked.length - acks
    })
  } finally {
    all('SIGCONT')
  }
  assert.equal(more, 0)
  await on.back()
  on.clean()
})

test('a restart of PostgreSQL under load causes only 503s', async () => {
  await primary.stop()
  await until503()
  await primary.start()
  await on.back()
  on.clean()
})

test('terminating all connections three times in a row causes only 503s', async () => {
  await withAdminClient(primary.url, async (admin) => {
    const endAll = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'docket%'`
    for (let times = 0; times < 3; times += 1) {
      // For a moment after the last round there may be no connections yet.
      await waitUntil('connections', async () => ((await admin.query(endAll)).rowCount ?? 0) > 0)
      const acks = on.load.acked.length
      await waitUntil('a write on another connection', () => on.load.acked.length > acks)
    }
  })
  await on.back()
  on.clean()
})

test('a failover to the standby causes only 503s', async () => {
  await primary.kill()
  await until503()
  await standby.promote()
  way.redirect(standby.port)
  await on.back()
  on.clean()
})

test('ignores an old primary that comes back', async () => {
  await primary.start()
  const acks = on.load.acked.length
  way.redirect(primary.port)
  await until503()
  const reply = await on.ask(1, '/api/v1/tasks?limit=1')
  way.redirect(standby.port)
  assert.equal(reply.status, 503, 'what it has is old')
  await on.back()
  assert.ok(on.load.acked.length > acks)
  on.clean()
})

test('closes connections to the old primary when it sees the new one', async (t) => {
  const name = await startTcpProxy(primary.port)
  const pool = openPostgresPool({ url: postgresUrlOf(name.port), isPrimary: true })
  // Does not wait: after a failure the clients are not released.
  t.after(() => Promise.race([pool.end(), name.close()]))
  const [used, idle] = await Promise.all([pool.connect(), pool.connect()])
  idle.release()
  name.redirectNewConnections(standby.port)
  // All existing connections are in use, so the next one is new.
  const taken = await pool.connect()
  const fresh = await pool.connect()
  await assert.rejects(used.query('select 1'), ENDED)
  await assert.rejects(taken.query('select 1'), ENDED)
  const { rows } = await fresh.query('show port')
  for (const client of [used, taken, fresh]) client.release()
  assert.deepEqual(rows, [{ port: String(standby.port) }])
})

const ENDED = /terminated|not queryable/

/** Reads the remaining rate limit from both servers in turn, within one minute. */
async function readRemaining(): Promise<number[]> {
  for (;;) {
    const readings: { left: number; until: string | null }[] = []
    for (const at of [0, 1, 0, 1] as const) {
      const { headers } = await on.ask(at, '/api/v1/me')
      const left = Number(headers.get('x-ratelimit-remaining'))
      readings.push({ left, until: headers.get('x-ratelimit-reset') })
    }
    if (new Set(readings.map(({ until }) => until)).size === 1)
      return readings.map(({ left }) => left)
  }
}

test('keeps every acknowledged write and delivers every event after these failures', async () => {
  await on.load.stop()
  on.clean()
  const [first = 0, ...more] = await readRemaining()
  assert.deepEqual(more, [first - 1, first - 2, first - 3], 'they count together again')
  await on.whole()
})

/** A TCP proxy in front of a primary database, like a floating IP address, HAProxy or a pooler. */
interface TcpProxy {
  port: number
  /** Forwards new connections to this port, and closes existing ones. */
  redirect(port: number): void
  /** Forwards new connections to this port, and keeps existing ones, like a changed DNS record. */
  redirectNewConnections(port: number): void
  close(): Promise<void>
}

/** Forwards bytes to a port of this machine. */
async function startTcpProxy(to: number): Promise<TcpProxy> {
  let target = to
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one)
      // An error on one side closes the other side through the close event below.
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    redirect(port) {
      target = port
      closeAll()
    },
    redirectNewConnections(port) {
      target = port
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        closeAll()
      }),
  }
}
