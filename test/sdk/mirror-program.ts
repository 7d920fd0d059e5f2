import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { BASE_ENV } from '#test/cli/run-cli.ts'
import { collectOutput } from '#test/support/system/child-processes.ts'
import { listenUntilEnd } from '#test/support/system/listen-until-end.ts'
import type { MemoryStore } from '../../sdk/src/changes.ts'
import { FileStore, SqliteStore } from '../../sdk/src/changes-node.ts'

/** A reply that a test gives instead of the server. */
export interface ScriptedReply {
  status: number
  headers?: Record<string, string>
  body: object
}

/** A request of the program. */
export interface MirrorRequest {
  path: string
  /** What is sent on to the server. */
  query: URLSearchParams
}

/**
 * Starts a server that records requests. It replies with what `reply` returns, or else with the reply
 * of `target`.
 */
export async function startRecordingProxy(
  t: TestContext,
  target: string,
  reply: (request: MirrorRequest) => ScriptedReply | undefined,
) {
  const requests: MirrorRequest[] = []

  async function respond({ url = '', headers }: IncomingMessage, signal: AbortSignal) {
    const { pathname: path, searchParams: query } = new URL(url, 'http://localhost')
    const request = { path, query }
    requests.push(request)
    const scripted = reply(request)
    if (scripted) return scripted
    const { authorization = '' } = headers
    const forwarded = await fetch(`${target}${path}?${query}`, {
      headers: { authorization },
      signal,
    })
    const body = await forwarded.json()
    return { status: forwarded.status, body }
  }

  const server = createServer((incoming, outgoing) => {
    const closed = new AbortController()
    outgoing.once('close', () => closed.abort())
    respond(incoming, closed.signal).then(
      ({ status, headers, body }: ScriptedReply) =>
        outgoing.writeHead(status, headers).end(JSON.stringify(body)),
      () => outgoing.destroy(),
    )
  })
  return { url: `http://127.0.0.1:${await listenUntilEnd(t, server)}`, requests }
}

/** Starts the example; `ended` resolves with its exit code and output. */
export function startMirror(t: TestContext, env: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, ['examples/mirror/main.ts', ...words], {
    env: { ...BASE_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  return collectOutput(child)
}

export type ReadableStore = MemoryStore | SqliteStore

/** Opens the store that the example keeps at a path. */
export const openMirrorStore = (path: string): Promise<FileStore | SqliteStore> =>
  path.endsWith('.db') ? SqliteStore.open(path) : FileStore.open(path)
