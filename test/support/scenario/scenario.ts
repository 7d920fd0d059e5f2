import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { routes, sessionActions } from '#server/routes.ts'
import { type Endpoint, isActionLimit } from '#wire/endpoint.ts'
import { OperationRecord } from '#wire/operation-record.ts'
import type { Role } from '#wire/rights.ts'
import type { Scope } from '#wire/scopes.ts'
import { watchCopies } from '../changes/assert-copies.ts'
import { assertCountersMatchRows } from '../data/counters.ts'
import { ENGINES, openTestDocket, type TestDocketOptions } from '../engines/test-docket.ts'
import { newClientAddress } from '../world/cookie-client.ts'
import { createTestSession, type TestSession } from '../world/test-session.ts'
import {
  createScopedKey,
  createTestWorkspace,
  type TestWorkspace,
} from '../world/test-workspace.ts'
import {
  assertAuditEntries,
  type ExpectedAuditEntry,
  readAuditEntriesSince,
  readLastAuditSequences,
} from './expected-audit-entries.ts'
import {
  assertEvents,
  assertEventsMatchRecords,
  type ExpectedEvent,
  type StoredEnvelope,
} from './expected-events.ts'
import { assertPartialMatch } from './partial-match.ts'
import { recordChanges } from './recorded-changes.ts'

/** One request and its expected effects. `{name}` stands for a value that an earlier step kept. */
export interface ScenarioStep {
  send: string
  /** Runs before the request, for example a change by the command line. Its events do not count. */
  prepare?: (tx: WriteTx, known: Record<string, string>) => Promise<unknown>
  body?: unknown
  /** Raw bytes to send instead of a JSON body; `headers` has their content type. */
  raw?: Uint8Array
  headers?: Record<string, string>
  /**
   * The credential, by default the owner's key: the key or session of a role (`session` is the
   * owner's), an owner's key with these scopes, the key of another workspace's owner, or none.
   */
  as?: Role | 'session' | `${Role} session` | readonly Scope[] | 'nobody' | 'stranger'
  status: number
  /** A partial match of the reply: objects by the named fields, arrays item by item. */
  reply?: object
  /** Headers that the reply must have; null for a header that it must not have. */
  replyHeaders?: Record<string, string | RegExp | null>
  /** The events that it causes, in order, as types or partial envelopes. By default none. */
  events?: (string | ExpectedEvent)[]
  /** The audit entries that it causes, in order. By default they are not checked. */
  audited?: (string | ExpectedAuditEntry)[]
  /** Keeps parts of the reply under names for later steps: `{ tag: 'id', first: 'data.0.id' }`. */
  keep?: Record<string, string>
  /** Further assertions on the reply and the values kept so far. */
  check?: (reply: ScenarioReply, known: Record<string, string>) => void
}

export interface ScenarioReply {
  /** The parsed JSON; `at(body, 'data.0.id')` reads a part of it. */
  body: unknown
  headers: Record<string, string>
  bytes: Buffer
}

/**
 * Runs the steps in order in a new workspace, once on each engine. These values are predefined:
 * `{workspace}`, `{project}`, `{hidden}`, `{owner}`, `{admin}`, `{member}`, `{guest}`, and the
 * `{address}` from which internal requests come. `env` and `lent` are for a Docket with its own settings, or with a test clock.
 */
export function scenario(
  name: string,
  steps: readonly ScenarioStep[],
  env: Record<string, string> = {},
  lent: TestDocketOptions = {},
) {
  for (const engine of ENGINES) {
    test(`${name} (${engine})`, async () => {
      const { storage, server, config } = await openTestDocket(engine, env, lent)
      const team = await createTestWorkspace(storage)
      const { assertAnnounced, close } = recordChanges(storage, team.workspace)
      const { workspace, project, hidden, people } = team
      const assertCopiesAreExact = await watchCopies(storage, team)
      const address = newClientAddress()
      const known: Record<string, string> = { workspace, project, hidden, address, ...people }
      let stranger: TestWorkspace | undefined
      const signedIn = new Map<Role, TestSession>()
      let lastSequence = await readLastSequence(storage, workspace, 0)
      for (const step of steps) {
        const { prepare } = step
        if (prepare) {
          const system: Actor = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: workspace }
          await storage.write(system, (tx) => prepare(tx, known))
          lastSequence = await readLastSequence(storage, workspace, lastSequence)
        }
        const [method = '', url = ''] = fillPlaceholders(step.send, known).split(/ (.*)/s)
        // May create an API key, which is audited.
        const credentials = await credential(step.as)
        const isAuditAllowed = mayAudit(method, url)
        const checksAudit = step.audited || !isAuditAllowed
        const ends = checksAudit ? await readLastAuditSequences(storage, workspace) : undefined
        const reply = await server.inject({
          method: method as 'GET',
          url,
          ...(url.startsWith('/internal/') && { remoteAddress: address }),
          headers: {
            ...(step.body !== undefined && { 'content-type': 'application/json' }),
            ...credentials,
            ...fillAll(step.headers, known),
          },
          ...(step.body !== undefined && { payload: payload(step.body, known) }),
          ...(step.raw && { payload: Buffer.from(step.raw) }),
        })
        const where = `${step.send} → ${reply.statusCode} ${reply.body}`
        assert.equal(reply.statusCode, step.status, where)
        const isJson = reply.headers['content-type'] === 'application/json; charset=utf-8'
        const isLines = reply.headers['content-type'] === 'application/x-ndjson'
        const body =
          reply.body && isJson ? reply.json() : isLines ? parseLines(reply.body) : undefined
        const isCsv = reply.headers['content-type'] === 'text/csv; charset=utf-8'
        if (reply.statusCode < 300 && method !== 'HEAD' && !isCsv)
          assertMatchesContract(method, url, body, reply.statusCode)
        if (step.reply) assertPartialMatch(body, fillAll(step.reply, known), where)
        const headers = Object.fromEntries(
          Object.entries(reply.headers).map(([header, value]) => [header, String(value)]),
        )
        assertHeaders(headers, fillAll(step.replyHeaders, known), where)
        for (const [as, path] of Object.entries(step.keep ?? {})) known[as] = valueAt(body, path)
        if (step.audited && ends) {
          const wanted = step.audited.map((one) =>
            typeof one === 'string' ? one : fillAll(one, known),
          )
          await assertAuditEntries(storage, ends, new Set(Object.values(known)), { wanted, where })
        }
        if (!isAuditAllowed && ends) {
          const entries = await readAuditEntriesSince(storage, ends, new Set(Object.values(known)))
          assert.deepEqual(
            entries,
            [],
            `${where} writes to the audit log without a limit of actions`,
          )
        }
        step.check?.({ body, headers, bytes: reply.rawPayload }, known)
        const events = await readEvents(storage, workspace, lastSequence)
        lastSequence = events.at(-1)?.sequence ?? lastSequence
        const envelopes = events.map(({ payload }) => JSON.parse(payload) as StoredEnvelope)
        const wanted = (step.events ?? []).map((one) =>
          typeof one === 'string' ? one : fillAll(one, known),
        )
        assertEvents(envelopes, wanted, where)
        // Each operation of these has an id and events of its own, also if a person has allowed it.
        if (!/\/bulk|\/allow$|\/operations\/undo/.test(url)) {
          await assertEventsMatchRecords(storage, workspace, envelopes, headers['x-operation-id'])
          const isOfSession = SESSION_PATHS.test(url) || ('set-cookie' in headers && !events.length)
          if (!isOfSession) assertAnnounced(headers['x-operation-id'], where)
        }
      }
      close()
      await assertCountersMatchRows(storage, workspace)
      await assertCopiesAreExact()

      async function credential(as: ScenarioStep['as'] = 'owner'): Promise<Record<string, string>> {
        if (as === 'nobody') return {}
        if (as === 'stranger') stranger ??= await createTestWorkspace(storage)
        if (as === 'stranger') return bearer(stranger?.keys.owner)
        if (typeof as !== 'string') return bearer(await createScopedKey(storage, team, 'owner', as))
        if (!as.endsWith('session')) return bearer(team.keys[as as Role])
        const role = (as === 'session' ? 'owner' : as.replace(' session', '')) as Role
        const session =
          signedIn.get(role) ?? (await createTestSession(storage, team, role, config.baseUrl))
        signedIn.set(role, session)
        return session.headers
      }
    })
  }
}

/** Changes of sessions are private, so listeners of the workspace do not receive them. */
const SESSION_PATHS = /^\/internal\/(sessions?|signup|password-resets)\b/

const bearer = (key = '') => ({ authorization: `Bearer ${key}` })

/** A string is sent unchanged, so that it can be malformed JSON; anything else is serialized. */
const payload = (body: unknown, known: Record<string, string>) =>
  fillPlaceholders(typeof body === 'string' ? body : JSON.stringify(body), known)

export const fillPlaceholders = (text: string, known: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (all, name) => known[name] ?? all)

function fillAll<T extends object | undefined>(value: T, known: Record<string, string>): T {
  if (!value || Object.values(value).some((one) => one instanceof RegExp)) return value
  return JSON.parse(JSON.stringify(value), (_, one) =>
    typeof one === 'string' ? fillPlaceholders(one, known) : one,
  )
}

/** Reads a part of a JSON value by its path, as text. */
export function valueAt(value: unknown, path: string): string {
  let found: unknown = value
  for (const part of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[part]
  return String(found)
}

function assertHeaders(
  headers: Record<string, string>,
  wanted: ScenarioStep['replyHeaders'],
  where: string,
) {
  for (const [name, value] of Object.entries(wanted ?? {})) {
    const is = headers[name.toLowerCase()]
    if (value === null) assert.equal(is, undefined, `${name} of ${where}`)
    else if (value instanceof RegExp) assert.match(is ?? '', value, `${name} of ${where}`)
    else assert.equal(is, value, `${name} of ${where}`)
  }
}

/** The endpoints with the patterns of their paths, those without parameters first. */
const ENDPOINTS = [...routes, ...sessionActions]
  .map(({ endpoint }) => ({
    endpoint,
    pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`),
  }))
  .toSorted((a, b) => Number(a.endpoint.path.includes(':')) - Number(b.endpoint.path.includes(':')))

/** The endpoint that answers a request. */
function findEndpoint(method: string, url: string): Endpoint | undefined {
  const path = url.split('?')[0] ?? ''
  return ENDPOINTS.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))
    ?.endpoint
}

/**
 * Whether a request may write to the audit log: it has a limit of actions, or takes away what one with
 * a limit has given.
 */
function mayAudit(method: string, url: string): boolean {
  const endpoint = findEndpoint(method, url)
  if (!endpoint) return true
  return isActionLimit(endpoint.limit) || (method === 'DELETE' && !endpoint.body)
}

/** Every test validates replies against their schema here, so that Docket itself need not. */
const parseLines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

export function assertMatchesContract(method: string, url: string, value: unknown, status = 200) {
  const endpoint = findEndpoint(method, url)
  // A supervised credential is answered with an operation that waits.
  if (status === 202 && endpoint?.status !== 202) {
    assert.ok(Value.Check(OperationRecord, value), `reply of ${method} ${url}`)
    return
  }
  if (endpoint?.download) return
  if (endpoint?.lines && Array.isArray(value)) {
    const { reply: head = endpoint.lines, lines } = endpoint
    assert.deepEqual(value.at(-1), { end: true })
    for (const [at, line] of value.slice(0, -1).entries())
      assert.ok(Value.Check(at === 0 ? head : lines, line), `line ${at} of ${method} ${url}`)
    return
  }
  const schema = endpoint?.reply
  // Listing errors takes longer than checking.
  if (schema && !Value.Check(schema, value))
    assert.fail(`reply of ${method} ${url}: ${JSON.stringify(Value.Errors(schema, value))}`)
  if (!schema && endpoint) assert.equal(value, undefined)
}

const eventsAfter = query((db, $: Scoped<{ after: number }>) =>
  db
    .selectFrom('events')
    .select(['type', 'sequence', 'payload'])
    .where('sequence', '>', $.after)
    .orderBy('sequence'),
)

/** Reads the events of a workspace after a sequence number: types, sequence numbers and envelopes. */
export const readEvents = (storage: Storage, workspace_id: string, after = 0) =>
  storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) => tx.all(eventsAfter, { after }))

const readLastSequence = async (storage: Storage, workspace_id: string, after: number) =>
  (await readEvents(storage, workspace_id, after)).at(-1)?.sequence ?? after
