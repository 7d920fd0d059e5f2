import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { OpenLoopOptions, OpenLoopResult } from './open-loop-client.ts'

/** Sends requests at a fixed rate from a separate process, and returns the result. */
export async function runOpenLoop(pacing: OpenLoopOptions): Promise<OpenLoopResult> {
  const child = fork(new URL('open-loop-client.ts', import.meta.url))
  child.send(pacing)
  const [told] = (await once(child, 'message')) as [OpenLoopResult]
  return told
}

/** Formats a complete HTTP request. */
export function formatHttpRequest(key: string, path: string, body?: object): string {
  const text = body && JSON.stringify(body)
  return [
    `${body ? 'POST' : 'GET'} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    // As most clients send it.
    'accept-encoding: gzip',
    `authorization: Bearer ${key}`,
    ...(text ? ['content-type: application/json', `content-length: ${text.length}`] : []),
    '',
    text ?? '',
  ].join('\r\n')
}
