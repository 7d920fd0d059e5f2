import type { Registry } from 'prom-client'
import type { Actor } from '#core/actor.ts'
import type { Means } from '#core/door.ts'
import type { RequestSpan, Traces } from '#core/traces.ts'
import type { Storage } from '#core/tx.ts'
import type { Files } from '#files/files.ts'
import type { Authenticator } from '#identity/authenticate.ts'
import type { AuthorizationServer } from '#identity/oauth/server.ts'
import type { AddressLimit, Limit, SessionLimit } from '#limits/window.ts'
import type { Log } from './log.ts'
import type { Streams } from './streams.ts'
import type { Build } from './web/build.ts'

/** What the house lends to every request. */
export interface House {
  storage: Storage
  /** What doors are lent. */
  means: Means
  authenticator: Authenticator
  /** For applications of third parties (contract 4.4); they may register themselves where it is so set. */
  oauth: AuthorizationServer
  oauthRegistration: boolean
  limit: Limit
  sessionLimit: SessionLimit
  addressLimit: AddressLimit
  /** Requests for authorization, each of which is kept until it is answered or half an hour is over. */
  askingLimit: AddressLimit
  /** Origin of all absolute addresses, without a trailing slash. */
  baseUrl: string
  /** Seals cursors. */
  cursorSecret: string
  /** Whether base URL and listener are both loopback, so that a foreign Host is refused. */
  loopbackOnly: boolean
  /** Number of proxies whose X-Forwarded-For is believed. */
  trustProxy: number
  metricsToken: string | undefined
  /** The web app; undefined until it is built. */
  web: Build | undefined
  /** How the installation is called. */
  name: string
  /** Whether `/` shows a page of its own instead of leading to the sign-in; who is signed in goes on to work. */
  landing: boolean
  /** Where attachments lie, and how large one may be. */
  files: Files
  maxAttachmentBytes: number
  /** The live connections of this process. */
  streams: Streams
  /** The figures of this process, for Prometheus. */
  registry: Registry
  /** Their text; of all processes where several share the port. */
  figures: () => Promise<string>
  /** Whether requests are refused while the event loop runs late. */
  sheds: boolean
  /** How many requests are being served now, and how many were so far. */
  load: { requests: number; served: number }
  log: Log
  /** Undefined where no traces are taken. */
  traces: Traces | undefined
  /** While something that serves is yet to start, readiness is denied. */
  starting: boolean
  /** While draining, replies ask for the connection to be closed and readiness is denied. */
  drain: { draining: boolean }
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
    /** Headers that every reply to this request carries, from wherever it comes. */
    outgoing: Record<string, string>
    /** `performance.now()` when it arrived. */
    arrivedAt: number
    /** Only where a trace is taken of it. */
    span: RequestSpan | undefined
  }
}
