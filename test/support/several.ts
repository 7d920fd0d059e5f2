import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { type Reply, send } from '../experiments/load.ts'
import { type Running, type Start, start } from './process.ts'
import { until } from './until.ts'

/** Several processes on one SQLite: one writes, the others read and leave the rest to it. */
export interface Several extends Running {
  /** The ids of those that are there now. */
  writer(): number | undefined
  readers(): number[]
  /** Waits until all serve, so many of which were started. */
  whole(started: number): Promise<void>
}

export const PROCESSES = 3

/** Starts several on a data directory, and waits until all of them serve. */
export async function startSeveral(dataDir: string, options: Start = {}): Promise<Several> {
  const ours = { DOCKET_PROCESSES: String(PROCESSES), DOCKET_LOG_LEVEL: 'info' }
  const env = { ...options.env, ...ours }
  const server = await start(dataDir, { ...options, env })
  const { pid } = server.child
  const reads = (one: number) => wordsOf(one).at(-1) === 'read'
  const several = {
    ...server,
    writer: () => childrenOf(pid).find((one) => !reads(one)),
    readers: () => childrenOf(pid).filter(reads),
    whole: (started: number) =>
      until(server.said, async () => {
        const begun = server.said().split('Docket serves').length - 1
        return begun >= started && (await figures(server.port)).includes(READERS)
      }),
  }
  await several.whole(PROCESSES)
  return several
}

const READERS = `\ndocket_reading_processes ${PROCESSES - 1}\n`

/** What a server of several says of all of them; nothing while one does not answer. */
export async function figures(port: number): Promise<string> {
  return fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } })
    .then((reply) => reply.text())
    .catch(() => '')
}

/** Asks by a connection of its own: each goes to the next of the processes. */
export async function ask(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Reply> {
  const agent = new Agent({ keepAlive: false })
  const typed = { ...(body && { 'content-type': 'application/json' }), ...headers }
  return send(agent, port, method, path, typed, body)
}

/** The same of each process. */
export const askAll = (port: number, path: string, headers: Record<string, string>) =>
  Promise.all(Array.from({ length: PROCESSES }, () => ask(port, 'GET', path, headers)))

/** The processes that a process has started. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** The words of a process's command line; none of one that is gone. */
function wordsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
  } catch {
    return []
  }
}
