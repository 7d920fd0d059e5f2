import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { type Actor, NOBODY, type Role } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { query, type Scoped } from '#storage/statement.ts'
import type { Scope } from '#wire/scopes.ts'
import { doors, routes } from '../../src/app.ts'
import { audit } from './audit.ts'
import { type AuditPart, assertAudited, endsOf } from './audited.ts'
import { newAddress } from './browser.ts'
import { docketOn, ENGINES, type Lent } from './engines.ts'
import { hear } from './heard.ts'
import { type Home, newHome, newKeyOf } from './home.ts'
import { assertPart } from './part.ts'
import { type SignedIn, sessionOf } from './session.ts'
import { assertTold, assertTrue, type Envelope, type ToldOf } from './told.ts'

/** One request and all that it should cause. What is in braces stands for a value known by then. */
export interface Step {
  send: string
  /** What happens before it, by the command line say; its events are not of this step. */
  prepare?: (tx: WriteTx, known: Record<string, string>) => Promise<unknown>
  body?: unknown
  /** Bytes to be sent as they are, with what `headers` say of them, in place of a body. */
  raw?: Uint8Array
  headers?: Record<string, string>
  /**
   * Who sends it (default: the owner): a role by its key or its session (`session` is the owner's), an
   * owner with these scopes, a stranger, or nobody.
   */
  as?: Role | 'session' | `${Role} session` | readonly Scope[] | 'nobody' | 'stranger'
  status: number
  /** A part that the reply must have: objects by the fields named here, arrays item by item. */
  reply?: object
  /** Headers that the reply must have; null for one that it must not. */
  replyHeaders?: Record<string, string | RegExp | null>
  /** The events that it causes, in order: kinds, or parts of envelopes. Not said: none. */
  events?: (string | ToldOf)[]
  /** The entries of the audit log that it causes, in order. Not said: it is not looked at. */
  audited?: (string | AuditPart)[]
  /** Names under which later steps know parts of the reply: `{ tag: 'id', first: 'data.0.id' }`. */
  keep?: Record<string, string>
  /** Looks closer: at the reply, and at what is known so far. */
  check?: (reply: Reply, known: Record<string, string>) => void
}

export interface Reply {
  /** The JSON of the reply; `at(body, 'data.0.id')` finds a part of it. */
  body: unknown
  headers: Record<string, string>
  bytes: Buffer
}

/**
 * Runs the steps one after the other in a workspace of their own, once on each engine. Known from the
 * start: `{workspace}`, `{project}`, `{hidden}`, `{owner}`, `{admin}`, `{member}`, `{guest}`. `env`
 * and `lent` are for a Docket with settings, or a clock, of its own.
 */
export function scenario(
  name: string,
  steps: readonly Step[],
  env: Record<string, string> = {},
  lent: Lent = {},
) {
  for (const engine of ENGINES) {
    test(`${name} (${engine})`, async () => {
      const { storage, server, config } = await docketOn(engine, env, lent)
      const home = await newHome(storage)
      const { assertNoticed, close } = hear(storage, home.workspace)
      const { workspace, project, hidden, people } = home
      const known: Record<string, string> = { workspace, project, hidden, ...people }
      let stranger: Home | undefined
      const signedIn = new Map<Role, SignedIn>()
      const address = newAddress()
      for (const step of steps) {
        const { prepare } = step
        if (prepare) {
          const system: Actor = { ...NOBODY, role: 'owner', workspace_id: workspace }
          await storage.write(system, (tx) => prepare(tx, known))
        }
        const seen = (await eventsOf(storage, workspace)).length
        const ends = step.audited && (await endsOf(storage, workspace))
        const [method = '', url = ''] = fill(step.send, known).split(/ (.*)/s)
        const reply = await server.inject({
          method: method as 'GET',
          url,
          ...(url.startsWith('/internal/') && { remoteAddress: address }),
          headers: {
            ...(step.body !== undefined && { 'content-type': 'application/json' }),
            ...(await credential(step.as)),
            ...filled(step.headers, known),
          },
          ...(step.body !== undefined && { payload: payload(step.body, known) }),
          ...(step.raw && { payload: Buffer.from(step.raw) }),
        })
        const where = `${step.send} → ${reply.statusCode} ${reply.body}`
        assert.equal(reply.statusCode, step.status, where)
        const isJson = reply.headers['content-type'] === 'application/json; charset=utf-8'
        const body = reply.body && isJson ? reply.json() : undefined
        if (reply.statusCode < 300 && method !== 'HEAD') assertFitsContract(method, url, body)
        if (step.reply) assertPart(body, filled(step.reply, known), where)
        const headers = Object.fromEntries(
          Object.entries(reply.headers).map(([header, value]) => [header, String(value)]),
        )
        assertHeaders(headers, filled(step.replyHeaders, known), where)
        for (const [as, path] of Object.entries(step.keep ?? {})) known[as] = at(body, path)
        if (step.audited && ends) {
          const wanted = step.audited.map((one) =>
            typeof one === 'string' ? one : filled(one, known),
          )
          await assertAudited(storage, ends, new Set(Object.values(known)), { wanted, where })
        }
        step.check?.({ body, headers, bytes: reply.rawPayload }, known)
        const events = (await eventsOf(storage, workspace)).slice(seen)
        const envelopes = events.map(({ payload }) => JSON.parse(payload) as Envelope)
        const wanted = (step.events ?? []).map((one) =>
          typeof one === 'string' ? one : filled(one, known),
        )
        assertTold(envelopes, wanted, where)
        if (!url.includes('/bulk')) {
          await assertTrue(storage, workspace, envelopes, headers['x-operation-id'])
          const isOfSession = OF_SESSIONS.test(url) || ('set-cookie' in headers && !events.length)
          if (!isOfSession) await assertNoticed(headers['x-operation-id'], where)
        }
      }
      close()
      await audit(storage, workspace)

      async function credential(as: Step['as'] = 'owner'): Promise<Record<string, string>> {
        if (as === 'nobody') return {}
        if (as === 'stranger') stranger ??= await newHome(storage)
        if (as === 'stranger') return bearer(stranger?.keys.owner)
        if (typeof as !== 'string') return bearer(await newKeyOf(storage, home, 'owner', as))
        if (!as.endsWith('session')) return bearer(home.keys[as as Role])
        const role = (as === 'session' ? 'owner' : as.replace(' session', '')) as Role
        const session = signedIn.get(role) ?? (await sessionOf(storage, home, role, config.baseUrl))
        signedIn.set(role, session)
        return session.headers
      }
    })
  }
}

/** A session is its person's alone: nobody who looks on is told of it. */
const OF_SESSIONS = /^\/internal\/(sessions?|signup|password-resets)\b/

const bearer = (key = '') => ({ authorization: `Bearer ${key}` })

/** A text is sent as it is (to be malformed), anything else as JSON. */
const payload = (body: unknown, known: Record<string, string>) =>
  fill(typeof body === 'string' ? body : JSON.stringify(body), known)

export const fill = (text: string, known: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (all, name) => known[name] ?? all)

function filled<T extends object | undefined>(value: T, known: Record<string, string>): T {
  if (!value || Object.values(value).some((one) => one instanceof RegExp)) return value
  return JSON.parse(JSON.stringify(value), (_, one) =>
    typeof one === 'string' ? fill(one, known) : one,
  )
}

/** A part of a JSON value, as text. */
export function at(value: unknown, path: string): string {
  let found: unknown = value
  for (const part of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[part]
  return String(found)
}

function assertHeaders(
  headers: Record<string, string>,
  wanted: Step['replyHeaders'],
  where: string,
) {
  for (const [name, value] of Object.entries(wanted ?? {})) {
    const is = headers[name.toLowerCase()]
    if (value === null) assert.equal(is, undefined, `${name} of ${where}`)
    else if (value instanceof RegExp) assert.match(is ?? '', value, `${name} of ${where}`)
    else assert.equal(is, value, `${name} of ${where}`)
  }
}

/** The reply schema is proved here, in every test, and so costs nothing when Docket serves. */
export function assertFitsContract(method: string, url: string, value: unknown) {
  const path = url.split('?')[0] ?? ''
  const found = [...routes, ...doors]
    .filter(({ endpoint }) => endpoint.method === method)
    .filter(({ endpoint }) => new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`).test(path))
    .toSorted(
      (a, b) => Number(a.endpoint.path.includes(':')) - Number(b.endpoint.path.includes(':')),
    )
  if (found[0]?.endpoint.download) return
  const schema = found[0]?.endpoint.reply
  if (schema) assert.deepEqual(Value.Errors(schema, value), [], `reply of ${method} ${url}`)
  else if (found[0]) assert.equal(value, undefined)
}

const eventsOfWorkspace = query((db, $: Scoped) =>
  db
    .selectFrom('events')
    .select(['type', 'sequence', 'payload'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('sequence'),
)

/** The events of a workspace so far: their kinds, sequences and envelopes. */
export const eventsOf = (storage: Storage, workspace_id: string) =>
  storage.read({ ...NOBODY, workspace_id }, (tx) => tx.all(eventsOfWorkspace, {}))
