import type { FastifyInstance } from 'fastify'
import type { Role } from '#core/actor.ts'
import { type House, PLACES, ROLES, sees } from '../roles.ts'
import { type Asking, call, type Replied } from '../world/call.ts'
import type { Abstract } from './request.ts'

/** Ids of each kind that are remembered; what came first goes first. */
const REMEMBERED = 40

/** One workspace on one engine: what stand-ins stand for there, and in what order it was met. */
export class Lane {
  readonly #server: FastifyInstance
  readonly #keys: Record<Role, string>
  readonly #known = new Map<string, string[]>()
  readonly #met = new Map<string, string>()

  /** Asks with keys; `more` is what it knows beside its records. */
  constructor(server: FastifyInstance, { home, records }: House, more: readonly string[]) {
    this.#server = server
    this.#keys = { ...home.keys }
    const { project, hidden, people } = home
    for (const id of [project, hidden, ...Object.values(people), ...more]) this.#learn(id)
    for (const place of PLACES) {
      for (const author of ROLES.filter((role) => sees(role, place))) {
        for (const id of Object.values(records(place, author))) this.#learn(id)
      }
    }
  }

  /** From now on it asks with others. */
  async askWith(credentialOf: (role: Role) => Promise<string>): Promise<void> {
    for (const role of ROLES) this.#keys[role] = await credentialOf(role)
  }

  /** The request as it is sent to this workspace. */
  concrete({ as, method, path, query, headers, body }: Abstract): Asking & { as: Abstract['as'] } {
    const url = this.#filled(query === '' ? path : `${path}?${query}`)
    const text = typeof body === 'string' ? this.#filled(body) : body
    return { as, method, url, headers, ...(text !== undefined && { body: text }) }
  }

  async send({ as, ...asking }: ReturnType<Lane['concrete']>): Promise<Replied> {
    const keys: Record<string, string | undefined> = {
      ...this.#keys,
      wrong: `dkt_${'0'.repeat(38)}`,
    }
    const reply = await call(this.#server, keys[as], asking)
    this.#remember(reply)
    if (asking.method === 'DELETE' && reply.status === 204) this.#forget(asking.url)
    return reply
  }

  /** A reply in which nothing is left that may differ between two engines. */
  normal({ status, headers, text }: Replied): unknown {
    const { etag, 'x-operation-id': operation } = headers
    const kept = Object.fromEntries(KEPT.map((name) => [name, this.named(headers[name] ?? '')]))
    const revision = etag?.split('-')[0]
    return {
      status,
      ...kept,
      revision,
      operation: operation !== undefined,
      text: this.named(text),
    }
  }

  /** Ids by the order in which they were met; what is drawn by lot, by its kind. */
  named(text: string): string {
    return text
      .replaceAll(/nonce="[^"]*"/g, 'nonce')
      .replace(/\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b/g, (id) => {
        const name = this.#met.get(id) ?? `<${id.slice(0, 3)} ${this.#met.size}>`
        this.#met.set(id, name)
        return name
      })
      .replaceAll(/\b(dat|drt|dcs)_[0-9A-Za-z]{38}\b/g, '<$1>')
      .replaceAll(/\/oauth\/(consent|authorize)\/[\w-]{20,}/g, '/oauth/$1/<uid>')
      .replaceAll(/"(exp|iat)":\d+/g, '"$1":0')
      .replace(/("type":"oauth".*"expires_at":)"[^"]*"/, '$1"<hour>"')
      .replace(/"next_cursor":"[^"]*"/g, '"next_cursor":"<cursor>"')
      .replace(/"secret(_hint)?":"[^"]*"/g, '"secret$1":"<secret>"')
      .replace(/[a-z]+\.\d+\.\d+@[0-9a-z]+\.example/g, '<email>')
      .replace(/(canary-|0\.)\d{6,}/g, '<random>')
  }

  #remember({ status, text }: Replied): void {
    if (status >= 300 || !text.startsWith('{')) return
    const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1]
    if (cursor) this.#put('cur', cursor)
    for (const [, token = ''] of text.matchAll(/"(d[ar]t_[0-9A-Za-z]{38})"/g)) this.#learn(token)
    const made = status === 201 || status === 202 ? /^\{"id":"([^"]+)"/.exec(text)?.[1] : undefined
    if (made) this.#learn(made)
    for (const [, id = ''] of text.matchAll(
      /"status":201,"operation_id":"[^"]*","data":\{"id":"([^"]+)"/g,
    ))
      this.#learn(id)
  }

  /** Every other deleted record is forgotten, so that not most of what is known is gone. */
  #forget(url: string): void {
    const id = /[a-z]{3}_[0-9a-z]{26}/.exec(url)?.[0] ?? ''
    const known = this.#known.get(id.slice(0, 3)) ?? []
    if (known.length % 2 === 0 && known.includes(id)) known.splice(known.indexOf(id), 1)
  }

  #learn(id: string): void {
    this.#put(id.slice(0, 3), id)
  }

  #put(kind: string, value: string): void {
    const known = this.#known.get(kind) ?? []
    if (known.includes(value)) return
    known.push(value)
    if (known.length > REMEMBERED) known.shift()
    this.#known.set(kind, known)
  }

  #filled(text: string): string {
    return text
      .replace(/"@@raw:([^"]*)@@"/g, '$1')
      .replace(/@@([a-z]{3}):(\d+)@@/g, (_, kind: string, at: string) => {
        const known = this.#known.get(kind) ?? []
        return known[Number(at) % Math.max(known.length, 1)] ?? `${kind}_01k2m3n4p5q6r7s8t9v0w1x2y3`
      })
  }
}

/** Headers that must be the same, whatever the engine. */
const KEPT = [
  ...['content-type', 'location', 'cache-control', 'allow', 'vary', 'www-authenticate'],
  ...['idempotency-replayed', 'x-dry-run', 'retry-after', 'x-content-type-options'],
]
