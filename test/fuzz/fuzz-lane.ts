import type { FastifyInstance } from 'fastify'
import type { Role } from '#wire/rights.ts'
import { type ApiCall, type ApiReply, callApi } from '../support/api/call-api.ts'
import {
  ALL_ROLES,
  canSeeProjectKind,
  PROJECT_KINDS,
  type RoleWorkspace,
} from '../tenants-and-roles/roles.ts'
import type { AbstractRequest } from './arbitrary-request.ts'

/** How many ids of each kind are remembered; the oldest is dropped first. */
const MAX_KNOWN_IDS = 40

/**
 * A workspace on one engine. It replaces placeholders by its own ids, and ids in replies by names.
 */
export class FuzzLane {
  readonly #server: FastifyInstance
  readonly #keys: Record<Role, string>
  readonly #knownIds = new Map<string, string[]>()
  readonly #names = new Map<string, string>()

  /** Sends with API keys at first. */
  constructor(server: FastifyInstance, { team, records }: RoleWorkspace) {
    this.#server = server
    this.#keys = { ...team.keys }
    const { project, hidden, people } = team
    for (const id of [project, hidden, ...Object.values(people)]) this.#learn(id)
    for (const place of PROJECT_KINDS) {
      for (const author of ALL_ROLES.filter((role) => canSeeProjectKind(role, place))) {
        for (const id of Object.values(records(place, author))) this.#learn(id)
      }
    }
  }

  /** Sends with other credentials from now on. */
  async setCredentials(credentialOf: (role: Role) => Promise<string>): Promise<void> {
    for (const role of ALL_ROLES) this.#keys[role] = await credentialOf(role)
  }

  /** Fills the placeholders of a request with ids of this workspace. */
  toApiCall({
    as,
    method,
    path,
    query,
    headers,
    body,
  }: AbstractRequest): ApiCall & { as: AbstractRequest['as'] } {
    const url = this.#fillPlaceholders(query === '' ? path : `${path}?${query}`)
    const text = typeof body === 'string' ? this.#fillPlaceholders(body) : body
    return { as, method, url, headers, ...(text !== undefined && { body: text }) }
  }

  async send({ as, ...asking }: ReturnType<FuzzLane['toApiCall']>): Promise<ApiReply> {
    const keys: Record<string, string | undefined> = {
      ...this.#keys,
      wrong: `dkt_${'0'.repeat(38)}`,
    }
    const reply = await callApi(this.#server, keys[as], asking)
    this.#remember(reply)
    if (asking.method === 'DELETE' && reply.status === 204) this.#forget(asking.url)
    return reply
  }

  /** Returns a reply without anything that may differ between two engines. */
  normalize({ status, headers, text }: ApiReply): unknown {
    const { etag, 'x-operation-id': operation } = headers
    const headersToCompare = Object.fromEntries(
      COMPARED_HEADERS.map((name) => [name, this.replaceIds(headers[name] ?? '')]),
    )
    const revision = etag?.split('-')[0]
    return {
      status,
      ...headersToCompare,
      revision,
      operation: operation !== undefined,
      text: this.replaceIds(text),
    }
  }

  /** Replaces ids by names in the order of their appearance, and random values by their kind. */
  replaceIds(text: string): string {
    return (
      text
        .replaceAll(/nonce="[^"]*"/g, 'nonce')
        .replace(/\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b/g, (id) => {
          const name = this.#names.get(id) ?? `<${id.slice(0, 3)} ${this.#names.size}>`
          this.#names.set(id, name)
          return name
        })
        .replace(/("type":"oauth".*"expires_at":)"[^"]*"/, '$1"<hour>"')
        .replace(/"next_cursor":"[^"]*"/g, '"next_cursor":"<cursor>"')
        .replace(/"position":"[\w-]{40,}"/g, '"position":"<position>"')
        .replace(/"secret(_hint)?":"[^"]*"/g, '"secret$1":"<secret>"')
        .replace(/[a-z]+\.\d+\.\d+@[0-9a-z]+\.example/g, '<email>')
        .replace(/(canary-|0\.)\d{6,}/g, '<random>')
        // Of a request, by the real time and by how much was asked since.
        .replace(/"(remaining|resets_at)":("[^"]*"|\d+)/g, '"$1":"<limit>"')
        .replace(/("id":"<req \d+>","created_at":)"[^"]*"/g, '$1"<time>"')
    )
  }

  #remember({ status, text }: ApiReply): void {
    if (status >= 300 || !text.startsWith('{')) return
    const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1]
    if (cursor) this.#put('cur', cursor)
    const made = status === 201 || status === 202 ? /^\{"id":"([^"]+)"/.exec(text)?.[1] : undefined
    if (made) this.#learn(made)
    for (const [, id = ''] of text.matchAll(
      /"status":201,"operation_id":"[^"]*","data":\{"id":"([^"]+)"/g,
    ))
      this.#learn(id)
  }

  /** Forgets every second deleted record, so that most known ids still exist. */
  #forget(url: string): void {
    const id = /[a-z]{3}_[0-9a-z]{26}/.exec(url)?.[0] ?? ''
    const ids = this.#knownIds.get(id.slice(0, 3)) ?? []
    if (ids.length % 2 === 0 && ids.includes(id)) ids.splice(ids.indexOf(id), 1)
  }

  #learn(id: string): void {
    this.#put(id.slice(0, 3), id)
  }

  #put(kind: string, value: string): void {
    const ids = this.#knownIds.get(kind) ?? []
    if (ids.includes(value)) return
    ids.push(value)
    if (ids.length > MAX_KNOWN_IDS) ids.shift()
    this.#knownIds.set(kind, ids)
  }

  #fillPlaceholders(text: string): string {
    return text
      .replace(/"@@raw:([^"]*)@@"/g, '$1')
      .replace(/@@([a-z]{3}):(\d+)@@/g, (_, kind: string, at: string) => {
        const ids = this.#knownIds.get(kind) ?? []
        return ids[Number(at) % Math.max(ids.length, 1)] ?? `${kind}_01k2m3n4p5q6r7s8t9v0w1x2y3`
      })
  }
}

/** Headers that must be equal on both engines. */
const COMPARED_HEADERS = [
  'content-type',
  'location',
  'cache-control',
  'allow',
  'vary',
  'www-authenticate',
  'idempotency-replayed',
  'x-dry-run',
  'retry-after',
  'x-content-type-options',
]
