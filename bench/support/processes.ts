import { type ChildProcessByStdio, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { PostingOptions } from '../load/posting-client.ts'
import type { TimedEvent } from '../load/webhook-sink.ts'

/** A server under load, in its own process. */
export interface BenchServer {
  url: string
  /** Its CPU time so far, in seconds. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

export interface BareServer extends BenchServer {
  serve(text: string): Promise<void>
}

export interface DocketProcess extends BenchServer {
  /** The started process, which may have child processes. */
  pid: number
  /** Its memory in bytes. */
  memory(): Promise<number>
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>
  /** Milliseconds from the start of the process until it was ready to serve. */
  startupMs: number
}

/** A receiver of webhooks. */
export interface WebhookSink {
  url: string
  /** The requests since the last call with `forget`. */
  readReport(options?: { forget?: true }): Promise<SinkReport>
  stop(): Promise<void>
}

interface SinkReport {
  count: number
  /** Milliseconds since 1970 at which each hundredth request came. */
  hundreds: number[]
  timed: TimedEvent[]
}

const ROOT = join(import.meta.dirname, '../..')

/** The bundle that `npm start` runs, of the current sources. */
function buildServer(): string {
  spawnSync(process.execPath, [join(ROOT, 'tools/build-server.ts')], { stdio: ['ignore', 2, 2] })
  return join(ROOT, 'dist', readFileSync(join(ROOT, 'dist/current'), 'utf8'), 'server.js')
}

export async function startBareServer(): Promise<BareServer> {
  const child = fork(new URL('../load/bare-server.ts', import.meta.url))
  process.once('exit', () => child.kill())
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  async function ask(message: object): Promise<{ cpu: number }> {
    child.send(message)
    return (await once(child, 'message'))[0]
  }
  return {
    url,
    cpu: async () => (await ask({})).cpu,
    serve: async (text) => {
      await ask({ serve: text })
    },
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

export async function startWebhookSink(): Promise<WebhookSink> {
  const child = fork(new URL('../load/webhook-sink.ts', import.meta.url))
  process.once('exit', () => child.kill())
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    async readReport(options = {}) {
      child.send(options)
      return (await once(child, 'message'))[0]
    },
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Runs the bare client to its end; returns its CPU time in seconds. */
export async function runPostingClient(posting: PostingOptions): Promise<number> {
  const child = fork(new URL('../load/posting-client.ts', import.meta.url))
  child.send(posting)
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: number }]
  return cpu
}

/** The same flags as in `npm start`. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=16']
const ENV = { NODE_COMPILE_CACHE: 'node_modules/.cache/compile', MALLOC_ARENA_MAX: '2' }

/** Starts Docket as `npm start` does, with the access log in a file. */
export async function startDocketProcess(
  dataDir: string,
  env: Record<string, string> = {},
  entry = buildServer(),
): Promise<DocketProcess> {
  const began = performance.now()
  const child = spawn(process.execPath, [...process.execArgv, ...FLAGS, entry], {
    env: {
      ...process.env,
      ...ENV,
      DOCKET_DATA_DIR: dataDir,
      DOCKET_PORT: '0',
      DOCKET_LIMIT_FREE: '1000000000',
      DOCKET_LIMIT_PAID: '1000000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', openSync(join(dataDir, 'access.log'), 'a')],
  }) as ChildProcessByStdio<null, Readable, null>
  process.once('exit', () => child.kill())
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      const address = /running at (\S+)/.exec(String(text))?.[1]
      if (address) resolve(address)
    })
    child.once('exit', (code) => reject(new Error(`Docket ended at its start (${code})`)))
  })
  await fetch(`${url}/readyz`).then((reply) => reply.text())
  const readyAfter = performance.now() - began

  async function metric(name: string): Promise<number> {
    const text = await fetch(`${url}/metrics`).then((reply) => reply.text())
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }
  return {
    pid: child.pid ?? Number.NaN,
    url,
    startupMs: readyAfter,
    metric,
    cpu: () => metric('process_cpu_seconds_total'),
    memory: () => metric('process_resident_memory_bytes'),
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
