import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Paced, Pacing } from './pacing.ts'

/** Offers requests from a process of its own, and gives what came back. */
export async function paced(pacing: Pacing): Promise<Paced> {
  const child = fork(new URL('pacing.ts', import.meta.url))
  child.send(pacing)
  const [told] = (await once(child, 'message')) as [Paced]
  return told
}

/** A whole request as it travels. */
export function requestText(key: string, path: string, body?: object): string {
  const text = body && JSON.stringify(body)
  return [
    `${body ? 'POST' : 'GET'} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    // As most clients do.
    'accept-encoding: gzip',
    `authorization: Bearer ${key}`,
    ...(text ? ['content-type: application/json', `content-length: ${text.length}`] : []),
    '',
    text ?? '',
  ].join('\r\n')
}
