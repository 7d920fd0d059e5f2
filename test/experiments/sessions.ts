import { createHook } from 'node:async_hooks'
import { Registry } from 'prom-client'
import type { Door } from '#core/door.ts'
import type { Storage } from '#core/tx.ts'
import { httpServer } from '#http/server.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { app, doors, routes } from '../../src/app.ts'
import { log, SECRET, type Served } from '../support/engines.ts'
import { type Doctor, through } from './world/doctored.ts'

export const all: readonly { endpoint: Endpoint }[] = [...routes, ...doors]

/** What a browser, or a client without one, says of where a request comes from. */
export const FOREIGN: readonly Record<string, string>[] = [
  {},
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: 'http://127.0.0.1:4001' },
  { origin: 'http://localhost:4000' },
  { origin: 'https://127.0.0.1:4000' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:4000' },
  { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4000' },
  { 'sec-fetch-site': 'none', origin: 'http://127.0.0.1:4000' },
  { referer: 'http://127.0.0.1:4000/' },
]

/** What forms of other sites can send without being asked, beside JSON. */
const TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded']

/**
 * Sends everything, with a cookie, from everywhere that is not ours: which write is let in, and what
 * changes something, reads too.
 */
export async function forged(
  server: Served['server'],
  session: () => Promise<{ headers: { cookie: string } }>,
  changes: () => number,
): Promise<string[]> {
  const faults: string[] = []
  for (const { endpoint } of all) {
    if (endpoint.stream) continue
    // Each of its own: a session asks 600 times a minute.
    const { cookie } = (await session()).headers
    const isFree = endpoint.method === 'GET' || MAY_COME_FROM_ANYWHERE.has(endpoint.path)
    for (const [at, headers] of FOREIGN.entries()) {
      const before = changes()
      const reply = await server.inject({
        method: endpoint.method,
        url: endpoint.path.replaceAll(/:\w+/g, 'prj_01k2m3n4p5q6r7s8t9v0w1x2y3'),
        headers: { ...headers, cookie, 'content-type': TYPES[at % TYPES.length] ?? '' },
        ...(endpoint.method !== 'GET' && { payload: '{}' }),
      })
      const code = /"code":"(\w+)"/.exec(reply.body)?.[1]
      const from = `${endpoint.method} ${endpoint.path} from ${JSON.stringify(headers)}`
      if (!isFree && `${reply.statusCode} ${code}` !== '403 csrf_rejected') {
        faults.push(`${from}: ${reply.statusCode} ${code}`)
      }
      if (changes() !== before) faults.push(`${from} changes something`)
    }
  }
  return faults
}

/** It opens nothing and changes nothing; a client without an origin may ask too (contract 4.5). */
const MAY_COME_FROM_ANYWHERE = new Set(['/internal/invitations/lookup'])

/** A server that counts what is changed; made worse, if asked to, by letting writes in from anywhere. */
export async function watched({ storage, config }: Served, worse = false) {
  const seen = { changes: 0 }
  const doctor: Doctor = (text) => {
    const isChange = /^(insert|update|delete|replace)/.test(text.sql)
    if (isChange && !OF_USE.test(text.sql)) seen.changes += 1
    return text
  }
  const counted: Storage = through(storage, doctor)
  const house = { ...(await app(counted, config, SECRET, log)).house, registry: new Registry() }
  if (!worse) return { server: httpServer(house, routes, doors), seen }
  const { authenticator } = house
  const blind = {
    ...authenticator,
    // As if the cookie were a key, which no other site can send.
    authenticate: async (...sent: Parameters<typeof authenticator.authenticate>) => ({
      ...(await authenticator.authenticate(...sent)),
      type: 'api_key' as const,
    }),
  }
  const open: Door[] = doors.map((door) => ({ ...door, anyOrigin: true }))
  return { server: httpServer({ ...house, authenticator: blind }, routes, open), seen }
}

/** When somebody was last active is no change that a page could want. */
const OF_USE = /last_used_at|last_active_at/

/** How many hashes of passwords this process has begun so far. */
export function countedHashes(t: { after(undo: () => void): void }): () => number {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') count += 1
    },
  }).enable()
  t.after(() => hook.disable())
  return () => count
}
