import type { Dispatcher } from 'undici'
import type { NetworkAllowlist } from '#lib/ip-address.ts'
import type { DeliveryFailure } from '#wire/event-kinds.ts'
import {
  type AttemptDestination,
  areAddressesAllowed,
  createConnectionPools,
  limitLookups,
  parseDestination,
  type ResolveHostname,
  resolveWithSystem,
  WebhookConnectionError,
} from './connection-pools.ts'

/** The result of one attempt. */
export interface AttemptResult {
  /** Null without a reply. */
  status: number | null
  /** The first 2 KiB as text; null without a reply. */
  body: string | null
  /** Null for a success. */
  error: DeliveryFailure | null
  /** Whole milliseconds. */
  duration_ms: number
  /** The header as it was sent. */
  retry_after: string | null
}

/**
 * The result of an attempt that is not made: it reveals nothing of the network, not even by timing.
 */
export const BLOCKED_RESULT: AttemptResult = {
  status: null,
  body: null,
  error: 'blocked_address',
  duration_ms: 0,
  retry_after: null,
}

/** The failure that a final status means: only 2xx is a success, and redirects are not followed. */
export function failureFromStatus(status: number): DeliveryFailure | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'http_status'
}

/** Bytes of a response body that are kept. */
export const MAX_KEPT_BODY_BYTES = 2_048

/**
 * Decodes the kept bytes as text that PostgreSQL accepts: U+FFFD replaces invalid UTF-8 and U+0000.
 * A character cut by the limit is left out.
 */
export function decodeBody(bytes: Buffer): string {
  const isCut = bytes.length === MAX_KEPT_BODY_BYTES
  const text = isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString()
  return text.replaceAll('\0', '\ufffd')
}

/** At most this much of a response is read (docs/spec/api.md#webhook-delivery). */
const MAX_READ_BYTES = 65_536
/** Interim responses such as 103; a receiver that sends more only keeps the processor busy. */
const MAX_INTERIM_RESPONSES = 20

/** How many milliseconds an attempt may take: until it is connected, and in all. */
export interface AttemptTimeouts {
  connectMs: number
  timeoutMs: number
}

/**
 * Collects the response to one request until it ends, breaks off, grows too long or takes too long.
 * Once there is a status it decides the result: a body that drips or breaks off does not turn a
 * success into a failure. Settles exactly once.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #timeouts: AttemptTimeouts
  readonly #onSettled: (reception: AttemptResult) => void
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #isSettled = false
  /** The failure to report when the time is over. */
  #timeoutFailure: DeliveryFailure = 'dns_failed'
  #status: number | null = null
  #retryAfter: string | null = null
  #interimCount = 0
  #bytesRead = 0
  #keptChunks: Buffer[] = []

  constructor(timeouts: AttemptTimeouts, settle: (reception: AttemptResult) => void) {
    this.#timeouts = timeouts
    this.#onSettled = settle
    this.#timer = setTimeout(this.#onTimeout, timeouts.connectMs)
  }

  /** Whether it is settled: nothing must be sent any more then. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  /** The host is resolved: from now on a timeout is not a failure of the DNS lookup. */
  markResolved(): void {
    this.#timeoutFailure = 'timeout'
  }

  /** Settles, with the given failure if there is no status. */
  end(failure: DeliveryFailure): void {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#timer)
    this.#onSettled(failure === 'blocked_address' ? BLOCKED_RESULT : this.#toResult(failure))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isSettled) controller.abort(new Error('The time for this request is over'))
    else this.#controller = controller
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#interimCount += 1
      if (this.#interimCount > MAX_INTERIM_RESPONSES)
        controller.abort(new Error('Too many interim replies'))
      return
    }
    this.#status = status
    this.#retryAfter = [headers['retry-after']].flat()[0] ?? null
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    // A copy, because a slice would keep the whole received buffer in memory.
    if (this.#bytesRead < MAX_KEPT_BODY_BYTES)
      this.#keptChunks.push(Buffer.from(chunk.subarray(0, MAX_KEPT_BODY_BYTES - this.#bytesRead)))
    this.#bytesRead += chunk.length
    if (this.#bytesRead > MAX_READ_BYTES) this.#abort('connection_failed')
  }

  onResponseEnd(): void {
    this.end('connection_failed')
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.end(error instanceof WebhookConnectionError ? error.failure : 'connection_failed')
  }

  /** The time to connect is over, or the time for the whole attempt. */
  readonly #onTimeout = () => {
    const remainingMs = this.#startedAt + this.#timeouts.timeoutMs - performance.now()
    if (this.#controller && remainingMs > 0) this.#timer = setTimeout(this.#onTimeout, remainingMs)
    // Sockets are read after timers: a process that is late itself first reads what has come.
    else setImmediate(() => this.#abort(this.#timeoutFailure))
  }

  #toResult(failure: DeliveryFailure): AttemptResult {
    const status = this.#status
    return {
      status,
      body: status === null ? null : decodeBody(Buffer.concat(this.#keptChunks)),
      error: status === null ? failure : failureFromStatus(status),
      duration_ms: Math.round(performance.now() - this.#startedAt),
      retry_after: this.#retryAfter,
    }
  }

  #abort(failure: DeliveryFailure): void {
    if (this.#isSettled) return
    this.end(failure)
    this.#controller?.abort(new Error('No more is read'))
  }
}

/** A request to a webhook, with all headers except those of the connection. */
export interface WebhookRequest {
  url: string
  headers: Record<string, string>
  body: string | Buffer
}

/** Posts requests to the receivers of webhooks. */
export interface WebhookSender {
  /** Posts once. Never rejects: every failure is part of the result. */
  send(post: WebhookRequest): Promise<AttemptResult>
  /** Destroys all connections; running and later requests fail. */
  close(): Promise<void>
}

export interface WebhookSenderOptions {
  targets: NetworkAllowlist
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
  const pools = createConnectionPools(timeouts.connectMs)
  const resolveLimited = limitLookups(resolve, timeouts.connectMs)
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
        resolveLimited(target.hostname).then(
          (addresses) => {
            if (addresses.length === 0) handler.end('dns_failed')
            else if (!areAddressesAllowed(addresses, target.reachable))
              handler.end('blocked_address')
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
