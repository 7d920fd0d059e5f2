import type { WebhookTargets } from '#core/settings.ts'
import { Exchange } from './exchange.ts'
import { allAllowed, type Target, targetOf } from './guard.ts'
import { pinnedPools } from './pools.ts'
import { BLOCKED, type Reception } from './reception.ts'
import { type Resolve, sharing, systemResolve } from './resolve.ts'

export type { Reception } from './reception.ts'

/** What is posted, with all its headers but those of the connection. */
export interface Post {
  url: string
  headers: Record<string, string>
  body: string
}

/** What posts to receivers. */
export interface Sender {
  /** Posts once. Never rejects: whatever happens is told by the reception. */
  send(post: Post): Promise<Reception>
  /** Cuts all connections; what is under way fails by it, and so does what is sent afterwards. */
  close(): Promise<void>
}

export interface SenderOptions {
  targets: WebhookTargets
  /** For an attempt in all, in milliseconds. */
  timeoutMs: number
  /** By which names get their addresses; the system's, unless a test has its own. */
  resolve?: Resolve
}

/** Until a connection is there (contract 8.5). */
const CONNECT_MS = 5_000
const MOST_JUDGED = 1_000

/**
 * Posts by HTTP/1.1 to where this installation may send (contract 8.7), as the environment's proxies do
 * not know of: each attempt looks its host up, checks all addresses, and reaches one of those.
 */
export function sender({ targets, timeoutMs, resolve = systemResolve }: SenderOptions): Sender {
  const patience = { timeoutMs, connectMs: Math.min(CONNECT_MS, timeoutMs) }
  const pools = pinnedPools(targets, patience.connectMs)
  const lookUp = sharing(resolve, patience.connectMs)
  const judged = new Map<string, Target | undefined>()
  let closed = false

  /** What an address says of itself is judged once; what its name means, at every attempt. */
  function judge(url: string): Target | undefined {
    if (judged.has(url)) return judged.get(url)
    if (judged.size >= MOST_JUDGED) judged.clear()
    const target = targetOf(url, targets)
    judged.set(url, target)
    return target
  }

  return {
    send: ({ url, headers, body }) =>
      new Promise((settle) => {
        const target = judge(url)
        if (!target) return settle(BLOCKED)
        const exchange = new Exchange(patience, settle)
        const post = (addresses: readonly string[]) => {
          if (exchange.over) return
          if (closed) return exchange.end('connection_failed')
          exchange.resolved()
          const request = { method: 'POST', path: target.path, headers, body }
          pools.poolOf(target, addresses).dispatch(request, exchange)
        }
        if (target.addresses) return post(target.addresses)
        lookUp(target.hostname).then(
          (addresses) => {
            if (addresses.length === 0) exchange.end('dns_failed')
            else if (!allAllowed(addresses, targets)) exchange.end('blocked_address')
            else post(addresses)
          },
          () => exchange.end('dns_failed'),
        )
      }),
    close() {
      closed = true
      return pools.close()
    },
  }
}
