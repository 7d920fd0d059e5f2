import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, Storage } from '#core/tx.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../../src/config.ts'
import { emptyDirInMemory } from '../../support/dir.ts'
import { atFileEnd } from '../../support/endings.ts'
import { freePort } from '../../support/port.ts'
import { TEMPLATE } from '../../support/postgres.ts'
import { end, type Running, SECRET, start } from '../../support/process.ts'

/** A real server in a process of its own, on an empty data directory. */
export interface Docket {
  url: string
  dataDir: string
  /** The same data, beside the server: for people and sessions. */
  storage: Storage
  /** Ends the server as SIGTERM does, or as a power cut does. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again at the same address. */
  start(): Promise<void>
  /** Ends it for good: its data and its log go. */
  remove(): Promise<void>
  log: ServerLog
}

/** What a server writes, for a test that fails: the tests of several files share one. */
export interface ServerLog {
  /** Where the log ends now. */
  position(): number
  /** What was written since. */
  since(position: number): Promise<string>
}

/** What a test wants of its server. `alone`: one of its own, because it ends it. */
export interface Wanted {
  engine?: Engine
  env?: Record<string, string>
  alone?: boolean
  /** Where it is known under a name: then `env` has the address with this port. */
  port?: number
}

const known = new Map<string, Promise<Docket>>()
const running = new Set<Docket>()
const children = new Set<Running['child']>()

/** Also when the process ends without its hooks. */
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Ends all servers that were started. */
export async function endDockets(): Promise<void> {
  known.clear()
  for (const docket of running) await docket.remove()
}

/** The same wishes in a file get the same server, and all files of a process that wish for nothing special. */
export function docketFor({
  engine = 'sqlite',
  env = {},
  alone = false,
  port,
}: Wanted): Promise<Docket> {
  if (alone) return started(engine, env, port)
  const name = JSON.stringify([engine, env])
  const shared = known.get(name)
  if (shared) return shared
  const docket = started(engine, env, port)
  known.set(name, docket)
  // One with settings of its own is of no use to other files.
  if (Object.keys(env).length > 0) {
    atFileEnd(async () => {
      known.delete(name)
      await (await docket).remove()
    })
  }
  return docket
}

/**
 * A PostgreSQL database for one server; `drop` removes it. That of test/support/store.ts would be dropped at the end
 * of the test that asks for it first, while other tests still use the server.
 */
async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { Client } = (await import('pg')).default
  const server = process.env.TEST_POSTGRES ?? ''
  const name = `browser_${process.pid}_${running.size}_${Date.now()}`
  const run = async (sql: string) => {
    const client = new Client(server)
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await run(`create database ${name} template ${TEMPLATE}`)
  const drop = () => run(`drop database ${name} with (force)`)
  return { url: server.replace(/\/postgres$/, `/${name}`), drop }
}

/** Out of the way, as all limits: every page of somebody who is not signed in asks once in vain. */
const DEFAULTS = { DOCKET_UNAUTHENTICATED_LIMIT: '1000000000', DOCKET_LOG_LEVEL: 'info' }

async function started(
  engine: Engine,
  env: Record<string, string>,
  wanted?: number,
): Promise<Docket> {
  const [dataDir, logDir] = [emptyDirInMemory(), emptyDirInMemory()]
  const database = engine === 'postgres' ? await createDatabase() : undefined
  const settings = { ...DEFAULTS, ...env, ...(database && { DOCKET_DATABASE_URL: database.url }) }
  const port = wanted ?? (await freePort())
  const url = env.DOCKET_BASE_URL ?? `http://127.0.0.1:${port}`
  const log = join(logDir, 'server.log')
  let server: Running | undefined
  const control = {
    async start() {
      server = await start(dataDir, { port, env: settings, log })
      children.add(server.child)
    },
    async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
      if (!server) return
      await end(server, signal)
      children.delete(server.child)
      server = undefined
    },
  }
  await control.start()
  const place = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, DOCKET_BASE_URL: url }
  const { storage } = await openStore(configFrom({ ...place, ...settings }))
  const docket = {
    ...{ url, dataDir, storage, ...control },
    log: logOf(log, `http://127.0.0.1:${port}`),
    async remove() {
      running.delete(docket)
      await control.stop('SIGKILL')
      await storage.close()
      await database?.drop()
      for (const path of [dataDir, logDir]) rmSync(path, { recursive: true, force: true })
    },
  }
  running.add(docket)
  return docket
}

/** The log is written with a delay: what was asked last is waited for, where the server still answers. */
function logOf(file: string, url: string): ServerLog {
  const read = (position: number) => readFileSync(file).subarray(position).toString()
  return {
    position: () => statSync(file).size,
    async since(position) {
      const last = await fetch(`${url}/healthz`).then(
        ({ headers }) => headers.get('x-request-id') ?? '',
        () => '',
      )
      for (let tries = 0; tries < 100 && !read(position).includes(last); tries += 1) await pause(20)
      return read(position)
    },
  }
}
