import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import type { Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import type { ServerOptions } from '#server/app.ts'
import { afterFile } from '../../support/runner/cleanup.ts'
import { endServer, type ServerProcess, startServer } from '../../support/server/server-process.ts'
import { findFreePort } from '../../support/system/free-port.ts'
import { createMemoryTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'

/** A real server in its own process, started on an empty data directory. */
export interface TestServer {
  url: string
  /** Direct access to the same data, to create people and sessions. */
  storage: Storage
  /** Stops the server: SIGKILL is like a power cut. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  /** Stops it and removes its data and its log. */
  remove(): Promise<void>
  log: ServerLog
}

/** The log of a server, which the tests of several files share. */
interface ServerLog {
  /** The current end of the log. */
  position(): number
  /** The text that was written after the position. */
  since(position: number): Promise<string>
}

/** Options of a test for its server. */
export interface TestServerOptions {
  env?: Record<string, string>
  /** A server that no other test uses, because this one stops it. */
  hasOwnServer?: boolean
  /** A fixed port, which `env` has to name in the base URL. */
  port?: number
  /** What no setting changes. */
  options?: ServerOptions
}

const sharedServers = new Map<string, Promise<TestServer>>()
const runningServers = new Set<TestServer>()
const children = new Set<ServerProcess['child']>()

/** Runs also if the process ends without its hooks. */
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Stops all servers and removes their data. */
export async function stopTestServers(): Promise<void> {
  sharedServers.clear()
  for (const docket of runningServers) await docket.remove()
}

/**
 * Tests of a file with equal options share a server; all files of a process share the default one.
 */
export function getTestServer({
  env = {},
  hasOwnServer = false,
  port,
  options = {},
}: TestServerOptions): Promise<TestServer> {
  if (hasOwnServer) return startTestServer(env, options, port)
  const name = JSON.stringify([env, options])
  const shared = sharedServers.get(name)
  if (shared) return shared
  const docket = startTestServer(env, options, port)
  sharedServers.set(name, docket)
  // A server with special settings is removed at the end of its file.
  if (Object.keys({ ...env, ...options }).length > 0) {
    afterFile(async () => {
      sharedServers.delete(name)
      await (await docket).remove()
    })
  }
  return docket
}

/**
 * Each page of a signed-out visitor makes one failing request, so that limit must be out of reach.
 */
const DEFAULT_OPTIONS: ServerOptions = { unauthenticatedLimit: 1_000_000_000 }
const DEFAULT_SETTINGS = { DOCKET_LOG_LEVEL: 'info' }

async function startTestServer(
  env: Record<string, string>,
  options: ServerOptions,
  fixedPort?: number,
): Promise<TestServer> {
  const [dataDir, logDir] = [createMemoryTempDir(), createMemoryTempDir()]
  const settings = { ...DEFAULT_SETTINGS, ...env }
  const port = fixedPort ?? (await findFreePort())
  const url = env.DOCKET_BASE_URL ?? `http://127.0.0.1:${port}`
  const log = join(logDir, 'server.log')
  let server: ServerProcess | undefined
  const control = {
    async start() {
      server = await startServer(dataDir, {
        port,
        env: settings,
        log,
        options: { ...DEFAULT_OPTIONS, ...options },
      })
      children.add(server.child)
    },
    async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
      if (!server) return
      await endServer(server, signal)
      children.delete(server.child)
      server = undefined
    },
  }
  await control.start()
  const location = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, DOCKET_BASE_URL: url }
  const { storage } = await openStore(parseConfig({ ...location, ...settings }))
  const docket = {
    url,
    storage,
    ...control,
    log: createServerLog(log, `http://127.0.0.1:${port}`),
    async remove() {
      runningServers.delete(docket)
      await control.stop('SIGKILL')
      await storage.close()
      for (const path of [dataDir, logDir]) rmSync(path, { recursive: true, force: true })
    },
  }
  runningServers.add(docket)
  return docket
}

/** The log is written with a delay, so `since` waits for the line of one more request. */
function createServerLog(file: string, url: string): ServerLog {
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
