import type { WebhookTargetPolicy } from '#core/operator-settings.ts'
import { type AttemptDestination, areAddressesAllowed, parseDestination } from './address-guard.ts'
import { createConnectionPools } from './connection-pools.ts'
import { createSharedResolver, type ResolveHostname, resolveWithSystem } from './resolve.ts'
import { type AttemptResult, BLOCKED_RESULT, ResponseHandler } from './response-handler.ts'

/** A request to a webhook, with all headers except those of the connection. */
export interface WebhookRequest {
  url: string
  headers: Record<string, string>
  body: string
}

/** Posts requests to the receivers of webhooks. */
export interface WebhookSender {
  /** Posts once. Never rejects: every failure is part of the result. */
  send(post: WebhookRequest): Promise<AttemptResult>
  /** Destroys all connections; running and later requests fail. */
  close(): Promise<void>
}

export interface WebhookSenderOptions {
  targets: WebhookTargetPolicy
  /** Milliseconds for a whole attempt. */
  timeoutMs: number
  /** Resolves host names; by default as the operating system does. */
  resolve?: ResolveHostname
}

/** The time to connect (docs/spec/api.md#webhook-delivery). */
const CONNECT_TIMEOUT_MS = 5_000
const MAX_CACHED_DESTINATIONS = 1_000

/**
 * Posts by HTTP/1.1 to allowed addresses only (docs/spec/api.md#where-webhooks-may-go), and ignores the proxies of the
 * environment. Each attempt resolves its host, checks all addresses, and connects to one of them.
 */
export function createWebhookSender({
  targets,
  timeoutMs,
  resolve = resolveWithSystem,
}: WebhookSenderOptions): WebhookSender {
  const timeouts = { timeoutMs, connectMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) }
  const pools = createConnectionPools(targets, timeouts.connectMs)
  const resolveShared = createSharedResolver(resolve, timeouts.connectMs)
  const destinations = new Map<string, AttemptDestination | undefined>()
  let isClosed = false

  /** The URL is checked once; the addresses that its host resolves to, at every attempt. */
  function destinationOf(url: string): AttemptDestination | undefined {
    if (destinations.has(url)) return destinations.get(url)
    if (destinations.size >= MAX_CACHED_DESTINATIONS) destinations.clear()
    const target = parseDestination(url, targets)
    destinations.set(url, target)
    return target
  }

  return {
    send: ({ url, headers, body }) =>
      new Promise((settle) => {
        const target = destinationOf(url)
        if (!target) return settle(BLOCKED_RESULT)
        const handler = new ResponseHandler(timeouts, settle)
        const post = (addresses: readonly string[]) => {
          if (handler.isSettled) return
          if (isClosed) return handler.end('connection_failed')
          handler.markResolved()
          const request = { method: 'POST', path: target.path, headers, body }
          pools.getPool(target, addresses).dispatch(request, handler)
        }
        if (target.addresses) return post(target.addresses)
        resolveShared(target.hostname).then(
          (addresses) => {
            if (addresses.length === 0) handler.end('dns_failed')
            else if (!areAddressesAllowed(addresses, targets)) handler.end('blocked_address')
            else post(addresses)
          },
          () => handler.end('dns_failed'),
        )
      }),
    close() {
      isClosed = true
      return pools.close()
    },
  }
}
