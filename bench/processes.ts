import { type ChildProcessByStdio, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Posting } from './posting.ts'
import type { Timed } from './sink.ts'

/** A server under load, in a process of its own. */
export interface Server {
  url: string
  /** Seconds of processor time that it has used so far. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

export interface Bare extends Server {
  serve(text: string): Promise<void>
}

export interface Docket extends Server {
  /** Of the process that was started, which may keep others running. */
  pid: number
  /** Bytes of memory that it holds. */
  memory(): Promise<number>
  /** The value of a metric that has no labels. */
  metric(name: string): Promise<number>
  /** Milliseconds from the start of the process until it was ready to serve. */
  readyAfter: number
}

/** A receiver of webhooks. */
export interface Sink {
  url: string
  /** What came since it was told to forget. */
  told(options?: { forget?: true }): Promise<Told>
  stop(): Promise<void>
}

interface Told {
  count: number
  /** Milliseconds since 1970 at which each hundredth request came. */
  hundreds: number[]
  timed: Timed[]
}

const MAIN = new URL('../src/main.ts', import.meta.url).pathname

export async function startBare(): Promise<Bare> {
  const child = fork(new URL('bare.ts', import.meta.url))
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

export async function startSink(): Promise<Sink> {
  const child = fork(new URL('sink.ts', import.meta.url))
  process.once('exit', () => child.kill())
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    async told(options = {}) {
      child.send(options)
      return (await once(child, 'message'))[0]
    },
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Posts as a bare client does, until all is posted; gives the seconds of processor time that it took. */
export async function post(posting: Posting): Promise<number> {
  const child = fork(new URL('posting.ts', import.meta.url))
  child.send(posting)
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: number }]
  return cpu
}

/** As `npm start` has them: memory is dear to those who run Docket, and costs no speed. */
const FLAGS = ['--max-semi-space-size=8']
const ENV = { NODE_COMPILE_CACHE: 'node_modules/.cache/compile', MALLOC_ARENA_MAX: '2' }

/** Starts Docket as production does: src/main.ts, with its access log in a file. */
export async function startDocket(
  dataDir: string,
  env: Record<string, string> = {},
  entry = MAIN,
): Promise<Docket> {
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
      const address = /serves at (\S+)/.exec(String(text))?.[1]
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
    readyAfter,
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
