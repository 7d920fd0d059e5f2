import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { findReachableAddresses } from '#core/operator-settings.ts'
import { isAddressAllowed, type NetworkAllowlist, parseLiteralAddresses } from '#lib/ip-address.ts'
import type { DeliveryFailure } from '#wire/event-kinds.ts'

/** Resolves a name to its addresses; rejects if there are none. */
export type ResolveHostname = (hostname: string) => Promise<readonly string[]>

/** Resolves names as the operating system does, with its hosts file and its order. */
export const resolveWithSystem: ResolveHostname = async (hostname) => {
  const records = await lookup(hostname, { all: true, order: 'verbatim' })
  return records.map(({ address }) => address)
}

/**
 * Lookups take half of Node's threads (`npm start` sets 16), and an unanswered lookup keeps its
 * thread for many seconds. More at once would wait in the thread pool, where they cannot be
 * prioritized.
 */
const MAX_LOOKUPS = 8
/** Names whose last lookup was slow, and new names, share half of the places. */
const MAX_SLOW_LOOKUPS = 4
const PROMPT_MS = 1_000
const MAX_PROMPT_NAMES = 10_000

/**
 * Limits concurrent lookups: names whose servers hang delay each other, but not names known to be
 * answered promptly. A lookup that cannot start within `timeoutMs` is never made.
 */
export function limitLookups(resolve: ResolveHostname, timeoutMs: number): ResolveHostname {
  const waiting = new Set<{ hostname: string; begin(isPrompt: boolean): void }>()
  const promptNames = new Set<string>()
  let running = 0
  let slowRunning = 0

  const beginNext = () => {
    for (const next of waiting) {
      if (running >= MAX_LOOKUPS) return
      const isPrompt = promptNames.has(next.hostname)
      if (slowRunning >= MAX_SLOW_LOOKUPS && !isPrompt) continue
      waiting.delete(next)
      next.begin(isPrompt)
    }
  }

  const recordDuration = (hostname: string, tookMs: number) => {
    promptNames.delete(hostname)
    if (tookMs > PROMPT_MS) return
    promptNames.add(hostname)
    const [oldest] = promptNames
    if (promptNames.size > MAX_PROMPT_NAMES && oldest !== undefined) promptNames.delete(oldest)
  }

  return (hostname) => {
    const wantedUntil = performance.now() + timeoutMs
    const { promise, resolve: fulfill, reject } = Promise.withResolvers<readonly string[]>()
    waiting.add({
      hostname,
      begin(isPrompt) {
        const at = performance.now()
        if (at > wantedUntil) return reject(new Error('Nobody waits for this name any longer'))
        const slowCount = isPrompt ? 0 : 1
        running += 1
        slowRunning += slowCount
        const onEnd = () => {
          recordDuration(hostname, performance.now() - at)
          running -= 1
          slowRunning -= slowCount
          beginNext()
        }
        resolve(hostname).finally(onEnd).then(fulfill, reject)
      },
    })
    beginNext()
    return promise
  }
}

/** The parts of a webhook URL that an attempt connects and posts to. */
export interface AttemptDestination {
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

/** Keep-alive connections for further attempts, each to an address that was checked. */
interface ConnectionPools {
  /** The pool of a destination that connects to these addresses and no others. */
  getPool(target: AttemptDestination, addresses: readonly string[]): Pool
  /** Destroys all connections. */
  close(): Promise<void>
}

const MAX_POOLS = 256
const IDLE_TTL_MS = 30_000

/**
 * Receivers close connections after as little as 2 s idle, often without notice, and an event sent
 * at that moment is lost. A Keep-Alive header of the receiver is honoured up to the second number.
 */
const KEEP_ALIVE = { keepAliveTimeout: 1_500, keepAliveMaxTimeout: 4_000 }
const RESPONSE_LIMITS = { maxHeaderSize: 16_384, headersTimeout: 0, bodyTimeout: 0 }

/**
 * Pools by origin and addresses: an attempt reuses only connections to addresses it has checked.
 */
export function createConnectionPools(connectMs: number): ConnectionPools {
  /** In order of last use. */
  const pools = new Map<string, { pool: Pool; usedAt: number }>()

  const retire = (key: string, pool: Pool) => {
    pools.delete(key)
    void pool.close()
  }
  const sweepTimer = setInterval(() => {
    const idleSince = performance.now() - IDLE_TTL_MS
    for (const [key, { pool, usedAt }] of pools) {
      if (usedAt > idleSince) return
      retire(key, pool)
    }
  }, IDLE_TTL_MS / 2)
  sweepTimer.unref()

  const open = (target: AttemptDestination, addresses: readonly string[]) =>
    new Pool(target.origin, {
      ...KEEP_ALIVE,
      ...RESPONSE_LIMITS,
      allowH2: false,
      connect: createPinnedConnector(target, addresses, connectMs),
    })

  return {
    getPool(target, addresses) {
      const key = `${target.origin} ${[...addresses].sort().join()}`
      const entry = pools.get(key) ?? { pool: open(target, addresses), usedAt: 0 }
      entry.usedAt = performance.now()
      pools.delete(key)
      pools.set(key, entry)
      const [first] = pools
      if (pools.size > MAX_POOLS && first) retire(first[0], first[1].pool)
      return entry.pool
    },
    async close() {
      clearInterval(sweepTimer)
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
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
