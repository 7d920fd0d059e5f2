import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import type { ServerOptions } from '#server/app.ts'
import { findFreePort } from '../system/free-port.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import { createTestWorkspace, type TestWorkspace } from '../world/test-workspace.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** A server in a process of its own. */
export interface ServerProcess {
  child: ChildProcess & { pid: number }
  port: number
  /** All output to stderr so far. */
  readStderr(): string
}

/**
 * Settings for a data directory, without rate limits. The server stops without a drain delay, which
 * only clients behind a load balancer need.
 */
const settings = (dataDir: string, env: Record<string, string>): Record<string, string> => ({
  DOCKET_DATA_DIR: dataDir,
  DOCKET_SECRET: TEST_SECRET,
  DOCKET_DEMO: '0',
  DOCKET_LOG_LEVEL: process.env.TEST_LOGS ? 'info' : 'silent',
  DOCKET_DRAIN_SECONDS: '0',
  DOCKET_LIMIT_FREE: '1000000000',
  DOCKET_LIMIT_PAID: '1000000000',
  ...env,
})

/** Creates a workspace with people and projects in a data directory that no server uses. */
export async function seedDataDir(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<TestWorkspace> {
  const config = parseConfig(settings(dataDir, env))
  const { storage } = await openStore(config)
  const team = await createTestWorkspace(storage)
  await storage.close()
  return team
}

/** How to start a server. `entry` is a file of this repository instead of src/main.ts. */
export interface ServerProcessOptions {
  entry?: string | undefined
  /** The role of the process; all roles by default. */
  role?: 'serve' | 'work'
  env?: Record<string, string>
  port?: number
  /** A file to append stderr to, which has the log. */
  log?: string | undefined
  /** Whether it sheds load. On a machine with other work it might reject any request. */
  sheds?: boolean
  /** Limits, rules and intervals that no setting changes. */
  options?: ServerOptions | undefined
}

const NOT_SHEDDING = `--import=${new URL('../server-variants/no-load-shedding.ts', import.meta.url)}`

/**
 * Gives a process its whole young generation at once: growing it in steps, with a collection for
 * each, takes a twelfth of the processor time of a start.
 */
export const NODE_ARGS = ['--min-semi-space-size=16']

/** Long enough for a busy machine. */
const START_TIMEOUT_MS = 120_000
/** Each attempt costs half a millisecond of processor time, and a start takes seconds under load. */
const READY_POLL_INTERVAL_MS = 30

let logs = 0

/** The path of the next server log. A test run keeps it until it knows whether the file passes. */
export function nextServerLog(): string | undefined {
  const { TEST_LOGS } = process.env
  if (!TEST_LOGS) return undefined
  logs += 1
  return join(TEST_LOGS, `server-${logs}.log`)
}

/** Finds the bundle of a file, which the test runner makes of everything that needs no sources. */
function findPackedEntry(entry = 'src/main.ts'): string | undefined {
  const { TEST_SERVER } = process.env
  if (TEST_SERVER === undefined || entry === 'src/main.ts') return TEST_SERVER
  const path = join(dirname(TEST_SERVER), `${basename(entry, '.ts')}.js`)
  return existsSync(path) ? path : undefined
}

/** Finds what to run for a file of this repository: its bundle, or the file itself. */
export const findEntry = (entry: string): string => findPackedEntry(entry) ?? join(ROOT, entry)

/** Starts a server on a data directory and waits until it is ready. */
export async function startServer(
  dataDir: string,
  {
    options,
    entry = options && 'test/support/server-variants/with-options.ts',
    role,
    env = {},
    port,
    log = nextServerLog(),
    sheds = false,
  }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  port ??= await findFreePort()
  const started = performance.now()
  const own: Record<string, string> = {
    ...settings(dataDir, env),
    ...(options && { TEST_SERVER_OPTIONS: JSON.stringify(options) }),
  }
  // Preloads replace modules, which is impossible in a packed server.
  const packed = sheds || own.NODE_OPTIONS ? undefined : findPackedEntry(entry)
  const preloaded = [
    sheds || packed ? '' : NOT_SHEDDING,
    own.NODE_OPTIONS ?? process.env.NODE_OPTIONS ?? '',
  ].join(' ')
  const stderrTarget = log === undefined ? 'pipe' : openSync(log, 'a')
  const child = spawn(
    process.execPath,
    [
      ...(packed ? [...NODE_ARGS, packed] : [join(ROOT, entry ?? 'src/main.ts')]),
      ...(role ? [role] : []),
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', stderrTarget],
      env: { ...process.env, ...own, DOCKET_PORT: String(port), NODE_OPTIONS: preloaded },
    },
  )
  if (typeof stderrTarget === 'number') closeSync(stderrTarget)
  let stderr = ''
  const said = () => (log === undefined ? stderr : readFileSync(log, 'utf8'))
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  while (!(await isServerReady(port))) {
    if (child.exitCode !== null) throw new Error(`The server ended: ${said()}`)
    if (performance.now() - started > START_TIMEOUT_MS) {
      // The caller gets no handle to end it, and the test run would wait for it forever.
      child.kill('SIGKILL')
      throw new Error(`The server does not get ready: ${said()}`)
    }
    await pause(READY_POLL_INTERVAL_MS)
  }
  const { pid } = child
  if (pid === undefined) throw new Error('The server has no process')
  return { child: Object.assign(child, { pid }), port, readStderr: said }
}

/** Sends a signal and waits for the end; returns the exit code, null if the signal killed it. */
export async function endServer(
  { child }: ServerProcess,
  signal: NodeJS.Signals,
): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
  return child.exitCode
}

export async function isServerReady(port: number): Promise<boolean> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`)
    await reply.arrayBuffer()
    return reply.status === 200
  } catch {
    return false
  }
}
