import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { type Home, newHome } from './home.ts'
import { freePort } from './port.ts'

const ROOT = join(import.meta.dirname, '../..')
export const SECRET = 'a secret of the tests only'

/** A server in a process of its own. */
export interface Running {
  child: ChildProcess & { pid: number }
  port: number
  /** Milliseconds from its start until it said that it was ready. */
  readyAfter: number
  /** What it has written to stderr so far. */
  said(): string
}

/**
 * Settings for a data directory, with limits out of the way. A server that is told to stop does so at once:
 * only clients behind a balancer need the time in which it denies that it is ready.
 */
const settings = (dataDir: string, env: Record<string, string>): Record<string, string> => ({
  DOCKET_DATA_DIR: dataDir,
  DOCKET_SECRET: SECRET,
  DOCKET_DEMO: '0',
  DOCKET_LOG_LEVEL: process.env.TEST_LOGS ? 'info' : 'silent',
  DOCKET_DRAIN_SECONDS: '0',
  DOCKET_LIMIT_FREE: '1000000000',
  DOCKET_LIMIT_PAID: '1000000000',
  ...env,
})

/** Makes a workspace with people and projects in a data directory that no server holds. */
export async function settle(dataDir: string, env: Record<string, string> = {}): Promise<Home> {
  const config = configFrom(settings(dataDir, env))
  const { storage } = await openStore(config)
  const home = await newHome(storage)
  await storage.close()
  return home
}

/** How a server is started: `entry` is a file of this repository, else that of Docket; a free port is found. */
export interface Start {
  entry?: string | undefined
  /** What the process does, where that is not all. */
  part?: 'serve' | 'work'
  env?: Record<string, string>
  port?: number
  /** A file that its log and its complaints are appended to. */
  log?: string | undefined
  /** Whether it refuses what is more than it can do: on a machine with other work that is anything. */
  sheds?: boolean
}

const NOT_SHEDDING = `--import=${new URL('not-shedding.ts', import.meta.url)}`

/** An upper bound, also for a machine on which much else runs. */
const START_TIMEOUT_MS = 60_000

let logs = 0

/** Where a test run keeps logs of servers until it knows whether their file passes. */
function nextLog(): string | undefined {
  const { TEST_LOGS } = process.env
  if (!TEST_LOGS) return undefined
  logs += 1
  return join(TEST_LOGS, `server-${logs}.log`)
}

/** Starts a server on a data directory and waits until it is ready. */
export async function start(
  dataDir: string,
  { entry, part, env = {}, port, log = nextLog(), sheds = false }: Start = {},
): Promise<Running> {
  port ??= await freePort()
  const started = performance.now()
  const own = settings(dataDir, env)
  // What is preloaded changes modules: those of a packed server cannot be changed.
  const packed = entry || sheds || own.NODE_OPTIONS ? undefined : process.env.TEST_SERVER
  const preloaded = [
    sheds || packed ? '' : NOT_SHEDDING,
    own.NODE_OPTIONS ?? process.env.NODE_OPTIONS ?? '',
  ].join(' ')
  const errors = log === undefined ? 'pipe' : openSync(log, 'a')
  const child = spawn(
    process.execPath,
    [packed ?? join(ROOT, entry ?? 'src/main.ts'), ...(part ? [part] : [])],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', errors],
      env: { ...process.env, ...own, DOCKET_PORT: String(port), NODE_OPTIONS: preloaded },
    },
  )
  if (typeof errors === 'number') closeSync(errors)
  let complaints = ''
  const said = () => (log === undefined ? complaints : readFileSync(log, 'utf8'))
  child.stderr?.on('data', (chunk) => {
    complaints += chunk
  })
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`The server ended: ${said()}`)
    if (performance.now() - started > START_TIMEOUT_MS) {
      // What nobody is given nobody ends: a run would wait for it for ever.
      child.kill('SIGKILL')
      throw new Error(`The server does not get ready: ${said()}`)
    }
    await pause(10)
  }
  const { pid } = child
  if (pid === undefined) throw new Error('The server has no process')
  const readyAfter = performance.now() - started
  return { child: Object.assign(child, { pid }), port, readyAfter, said }
}

/** Sends a signal and waits for the end; gives the exit code, null after a signal that kills. */
export async function end({ child }: Running, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
  return child.exitCode
}

export async function isReady(port: number): Promise<boolean> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`)
    await reply.arrayBuffer()
    return reply.status === 200
  } catch {
    return false
  }
}
