import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { findReachableAddresses } from '#core/operator-settings.ts'
import { createSemaphore } from '#db/core/semaphore.ts'
import { isAddressAllowed, type NetworkAllowlist, parseLiteralAddresses } from '#lib/ip-address.ts'
import type { DeliveryFailure } from '#wire/event-kinds.ts'

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
const BLOCKED_RESULT: AttemptResult = {
  status: null,
  body: null,
  error: 'blocked_address',
  duration_ms: 0,
  retry_after: null,
}

/** The failure that a final status means: only 2xx is a success, and redirects are not followed. */
function failureFromStatus(status: number): DeliveryFailure | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'http_status'
}

/** Bytes of a response body that are kept. */
const MAX_KEPT_BODY_BYTES = 2_048

/**
 * Decodes the kept bytes as text that PostgreSQL accepts: U+FFFD replaces invalid UTF-8 and U+0000.
 * A character cut by the limit is left out.
 */
function decodeBody(bytes: Buffer): string {
  const isCut = bytes.length === MAX_KEPT_BODY_BYTES
  const text = isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString()
  return text.replaceAll('\0', '\ufffd')
}

/** At most this much of a response is read (docs/spec/api.md#webhook-delivery). */
const MAX_READ_BYTES = 65_536
/** Interim responses such as 103; a receiver that sends more only keeps the processor busy. */
const MAX_INTERIM_RESPONSES = 20

/**
 * Collects the response to one request until it ends, breaks off, grows too long or takes too long.
 * Once there is a status it decides the result: a body that drips or breaks off does not turn a
 * success into a failure. Settles exactly once.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #timeoutMs: number
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

  /** `connectMs` and `timeoutMs` are how long it may take until it is connected, and in all. */
  constructor(
    { connectMs, timeoutMs }: { connectMs: number; timeoutMs: number },
    settle: (reception: AttemptResult) => void,
  ) {
    this.#timeoutMs = timeoutMs
    this.#onSettled = settle
    this.#timer = setTimeout(this.#onTimeout, connectMs)
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
    const remainingMs = this.#startedAt + this.#timeoutMs - performance.now()
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
  let isClosed = false

  return {
    send: ({ url, headers, body }) =>
      new Promise((settle) => {
        const target = parseDestination(url, targets)
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

/** Resolves a name to its addresses; rejects if there are none. */
export type ResolveHostname = (hostname: string) => Promise<readonly string[]>

/** Resolves names as the operating system does, with its hosts file and its order. */
export const resolveWithSystem: ResolveHostname = async (hostname) => {
  const records = await lookup(hostname, { all: true, order: 'verbatim' })
  return records.map(({ address }) => address)
}

/**
 * Lookups take half of Node's threads (`npm start` sets 16), and an unanswered lookup keeps its thread
 * for many seconds. Names whose last lookup was prompt have one half of these, all others the other half.
 */
const LOOKUPS = { running: 4, waitingOfWorkspace: 64, waiting: 256 }
const PROMPT_MS = 1_000
const MAX_PROMPT_NAMES = 10_000

/**
 * Limits concurrent lookups: names whose servers hang delay each other, but not names known to be
 * answered promptly. A lookup that cannot start within `timeoutMs` is never made.
 */
export function limitLookups(resolve: ResolveHostname, timeoutMs: number): ResolveHostname {
  const promptNames = new Set<string>()
  const lines = { prompt: createSemaphore(LOOKUPS), other: createSemaphore(LOOKUPS) }

  function recordDuration(hostname: string, tookMs: number): void {
    promptNames.delete(hostname)
    if (tookMs > PROMPT_MS) return
    promptNames.add(hostname)
    const [oldest] = promptNames
    if (promptNames.size > MAX_PROMPT_NAMES && oldest !== undefined) promptNames.delete(oldest)
  }

  return (hostname) => {
    const wantedUntil = performance.now() + timeoutMs
    return lines[promptNames.has(hostname) ? 'prompt' : 'other'](hostname, async () => {
      const at = performance.now()
      if (at > wantedUntil) throw new Error('Nobody waits for this name any longer')
      return resolve(hostname).finally(() => recordDuration(hostname, performance.now() - at))
    })
  }
}

/** The parts of a webhook URL that an attempt connects and posts to. */
interface AttemptDestination {
  /** Scheme, host and port. */
  origin: string
  /** As the URL class writes it: an IPv6 address is in brackets. */
  hostname: string
  /** Path and query. */
  path: string
  /** The allowed addresses if the host is an IP address; undefined for a name to be resolved. */
  addresses: readonly string[] | undefined
  /** The addresses that it may resolve to. */
  reachable: NetworkAllowlist
}

/**
 * The destination of an attempt, or undefined if this installation sends nothing there (
 * docs/spec/api.md#where-webhooks-may-go). It is checked at every attempt: the settings may have changed since the webhook was
 * created.
 */
export function parseDestination(
  url: string,
  targets: NetworkAllowlist,
): AttemptDestination | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, origin, hostname, port, pathname, search } = new URL(url)
  const reachable = findReachableAddresses(protocol, targets)
  if (!reachable) return undefined
  const addresses = parseLiteralAddresses(hostname)?.filter((address) =>
    isAddressAllowed(address, reachable),
  )
  if (addresses?.length === 0 || port === '0') return undefined
  return { origin, hostname, path: pathname + search, addresses, reachable }
}

/** Whether every address of a name is allowed: one allowed address among others is not enough. */
export const areAddressesAllowed = (
  addresses: readonly string[],
  targets: NetworkAllowlist,
): boolean => addresses.every((address) => isAddressAllowed(address, targets))

const MAX_POOLS = 256

/**
 * Receivers close connections after as little as 2 s idle, often without notice, and an event sent
 * at that moment is lost. A Keep-Alive header of the receiver is honoured up to the second number.
 */
const KEEP_ALIVE = { keepAliveTimeout: 1_500, keepAliveMaxTimeout: 4_000 }
const RESPONSE_LIMITS = { maxHeaderSize: 16_384, headersTimeout: 0, bodyTimeout: 0 }

/**
 * Keep-alive connections by origin and addresses: an attempt reuses only those to addresses that it has
 * checked.
 */
function createConnectionPools(connectMs: number) {
  /** In order of last use. */
  const pools = new Map<string, Pool>()

  const open = (target: AttemptDestination, addresses: readonly string[]) =>
    new Pool(target.origin, {
      ...KEEP_ALIVE,
      ...RESPONSE_LIMITS,
      allowH2: false,
      connect: createPinnedConnector(target, addresses, connectMs),
    })

  return {
    /** The pool of a destination that connects to these addresses and no others. */
    getPool(target: AttemptDestination, addresses: readonly string[]): Pool {
      const key = `${target.origin} ${[...addresses].sort().join()}`
      const pool = pools.get(key) ?? open(target, addresses)
      pools.delete(key)
      pools.set(key, pool)
      const [oldest] = pools
      if (pools.size > MAX_POOLS && oldest) {
        pools.delete(oldest[0])
        void oldest[1].close()
      }
      return pool
    },
    /** Destroys all connections. */
    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

/** No connection to the receiver could be made. */
export class WebhookConnectionError extends Error {
  readonly failure: DeliveryFailure

  constructor(failure: DeliveryFailure, cause?: Error) {
    super(`No connection: ${failure}`, { cause })
    this.failure = failure
  }
}

/**
 * Connects to the given addresses only, even if the name resolves to others by now. The certificate
 * must be valid for the name. Fails with an error class of its own: undici retries some other
 * errors for ever.
 */
export function createPinnedConnector(
  { hostname, reachable }: AttemptDestination,
  addresses: readonly string[],
  timeout: number,
): buildConnector.connector {
  const connect = buildConnector({
    timeout,
    allowH2: false,
    rejectUnauthorized: true,
    lookup: createPinnedLookup(addresses),
  })
  // The server name in a TLS handshake has no trailing dot (RFC 6066).
  const serverName = /^[[\d]/.test(hostname) ? {} : { servername: hostname.replace(/\.$/, '') }
  return (options, callback) => {
    const isSecure = options.protocol === 'https:'
    connect({ ...options, ...(isSecure && serverName) }, (error, socket) => {
      if (error)
        return callback(new WebhookConnectionError(classifyError(error, isSecure), error), null)
      const { remoteAddress } = socket
      if (remoteAddress !== undefined && isAddressAllowed(remoteAddress, reachable)) {
        return callback(null, socket)
      }
      socket.destroy()
      callback(
        new WebhookConnectionError(remoteAddress ? 'blocked_address' : 'connection_failed'),
        null,
      )
    })
  }
}

function createPinnedLookup(addresses: readonly string[]): LookupFunction {
  const records = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_hostname, { all }, done) => {
    const [first] = records
    if (all || !first) done(null, records)
    else done(null, first.address, first.family)
  }
}

/** With TLS, an error after the TCP connection was made is an error of TLS. */
function classifyError(error: Error, isSecure: boolean): DeliveryFailure {
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  const failedToConnect =
    error instanceof AggregateError || ('syscall' in error && error.syscall === 'connect')
  return isSecure && !failedToConnect ? 'tls_error' : 'connection_failed'
}
