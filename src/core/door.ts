import type { Endpoint, Input, Reply } from '#wire/endpoint.ts'
import type { Actor, Plan } from './actor.ts'
import type { Company } from './company.ts'
import type { Mail } from './mail.ts'
import type { Storage } from './tx.ts'

/** What is lent to whoever opens a door. */
export interface Means {
  storage: Storage
  /** Undefined where no mail is set up. */
  mail: Mail | undefined
  /** Undefined where people sign in by Docket's own means alone. */
  company: Company | undefined
  /** Origin of all links: never what a request says of itself. */
  baseUrl: string
  /** Who may sign up, once there is an account: anybody, or invited persons only. */
  signup: 'open' | 'invite'
  /** The plan of new workspaces. */
  plan: Plan
  /** Signs the cookies by which browsers are known again. */
  deviceKey: Buffer
  /** For what goes wrong after the reply. */
  log: { error(about: object, message: string): void }
}

/** Who comes to a door: of an open one, `actor` is there only if a session was sent along. */
export interface Visit<E extends Endpoint> extends Input<E> {
  actor: E['scope'] extends 'session' ? Actor : Actor | undefined
  /** The text of the Cookie header. */
  cookie: string | undefined
  /** The address of the client, and its browser as it calls itself. */
  address: string
  agent: string
}

/** What a door gives: the reply, and cookies to be set as texts of Set-Cookie headers. */
export interface Opened<E extends Endpoint> {
  reply: Reply<E>
  cookies?: readonly string[]
  /** Of a write that has changed a record, as the events that it caused name it. */
  operation_id?: string
}

export interface Door {
  endpoint: Endpoint
  open: (means: Means, visit: Visit<Endpoint>) => Promise<Opened<Endpoint>>
  before: (means: Means, visit: Visit<Endpoint>) => Promise<void>
  anyOrigin: boolean
}

interface Rules<E extends Endpoint> {
  /** Refuses (404, 403) before the fields of the body are looked at: it is there as it was sent. */
  before?: (means: Means, visit: Omit<Visit<E>, 'body'> & { body: unknown }) => Promise<void>
  /** Another site may ask too: the reply opens nothing, and nothing is changed. */
  anyOrigin?: boolean
}

/**
 * An endpoint of the web app that is more than an operation within one transaction: it hashes a
 * password, sets cookies, sends a mail, or asks for no credential at all (`scope: 'open'`). It opens
 * its transactions by itself; everything before and after is as with a route.
 */
export const door = <E extends Endpoint>(
  endpoint: E,
  open: (means: Means, visit: Visit<E>) => Promise<Opened<E>>,
  { before, anyOrigin = false }: Rules<E> = {},
): Door => {
  const lack = lackOf(endpoint)
  if (lack) throw new Error(`${endpoint.method} ${endpoint.path} does not say ${lack}`)
  return {
    endpoint,
    open: open as Door['open'],
    before: (before ?? (async () => {})) as Door['before'],
    anyOrigin,
  }
}

function lackOf({ method, path, scope, limit, params, body }: Endpoint): string | undefined {
  if (!path.startsWith('/internal/')) return 'that it is for the web app'
  if (scope !== 'open' && scope !== 'session') return 'who may use it'
  if (limit !== (scope === 'open' ? 'none' : 'session')) return 'which budget it spends'
  if (path.includes(':') && !params) return 'what is in its path'
  if ((method === 'POST' || method === 'PATCH') && !body) return 'what is in its body'
  return undefined
}
