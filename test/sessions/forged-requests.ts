import { createHook } from 'node:async_hooks'
import { Registry } from 'prom-client'
import type { Storage } from '#core/transaction.ts'
import { createHttpServer } from '#http/server/server.ts'
import { createApp } from '#server/app.ts'
import { routes, sessionActions } from '#server/routes.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { rewriteStatements, type StatementRewriter } from '../support/api/rewrite-statements.ts'
import { type TestDocket, testLog } from '../support/engines/test-docket.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'

export const ALL_ENDPOINTS: readonly { endpoint: Endpoint }[] = [...routes, ...sessionActions]

/** Headers by which browsers and other clients mark requests of another origin. */
export const CROSS_ORIGIN_HEADERS: readonly Record<string, string>[] = [
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

/** JSON, and content types that forms of other sites can send without a preflight. */
const CONTENT_TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded']

/**
 * Sends a request to every endpoint with a session cookie and every foreign origin. Returns writes
 * that are not refused, and all requests, reads too, that change something.
 */
export async function sendForgedRequests(
  server: TestDocket['server'],
  session: () => Promise<{ headers: { cookie: string } }>,
  changes: () => number,
): Promise<string[]> {
  const faults: string[] = []
  for (const { endpoint } of ALL_ENDPOINTS) {
    // Another session for each endpoint, as some end it.
    const { cookie } = (await session()).headers
    const isAllowed = endpoint.method === 'GET' || ALLOWED_FROM_ANY_ORIGIN.has(endpoint.path)
    for (const [at, headers] of CROSS_ORIGIN_HEADERS.entries()) {
      const before = changes()
      const reply = await server.inject({
        method: endpoint.method,
        url: endpoint.path.replaceAll(/:\w+/g, 'prj_01k2m3n4p5q6r7s8t9v0w1x2y3'),
        headers: {
          ...headers,
          cookie,
          'content-type': CONTENT_TYPES[at % CONTENT_TYPES.length] ?? '',
        },
        ...(endpoint.method !== 'GET' && { payload: '{}' }),
      })
      const code = /"code":"(\w+)"/.exec(reply.body)?.[1]
      const from = `${endpoint.method} ${endpoint.path} from ${JSON.stringify(headers)}`
      if (!isAllowed && `${reply.statusCode} ${code}` !== '403 csrf_rejected') {
        faults.push(`${from}: ${reply.statusCode} ${code}`)
      }
      if (changes() !== before) faults.push(`${from} changes something`)
    }
  }
  return faults
}

/** Needs no session and changes nothing, so any origin may call it (docs/spec/api.md#session-cookie). */
const ALLOWED_FROM_ANY_ORIGIN = new Set(['/internal/invitations/lookup'])

/** Starts a server that counts changes. */
export async function createChangeCountingServer({ storage, config }: TestDocket) {
  const seen = { changes: 0 }
  const countChanges: StatementRewriter = (text) => {
    const isChange = /^(insert|update|delete|replace)/.test(text.sql)
    if (isChange && !ACTIVITY_COLUMNS.test(text.sql)) seen.changes += 1
    return text
  }
  const counted: Storage = rewriteStatements(storage, countChanges)
  const { appContext } = await createApp(counted, config, TEST_SECRET, testLog)
  const context = { ...appContext, metrics: { ...appContext.metrics, registry: new Registry() } }
  return { server: createHttpServer(context, routes, sessionActions), seen }
}

/** Updates of the last activity are no change that an attacker could want. */
const ACTIVITY_COLUMNS = /last_used_at|last_active_at/

/** Counts the password hashes that this process has started. */
export function countPasswordHashes(t: { after(undo: () => void): void }): () => number {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') count += 1
    },
  }).enable()
  t.after(() => hook.disable())
  return () => count
}
