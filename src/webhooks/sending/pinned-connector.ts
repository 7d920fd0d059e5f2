import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { WebhookTargetPolicy } from '#core/operator-settings.ts'
import { isAddressAllowed } from '#lib/ip-address.ts'
import type { DeliveryFailure } from '#wire/event-kinds.ts'
import type { AttemptDestination } from './address-guard.ts'

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
  { hostname }: AttemptDestination,
  addresses: readonly string[],
  targets: WebhookTargetPolicy,
  timeout: number,
): buildConnector.connector {
  const connect = buildConnector({
    ...{ timeout, allowH2: false, rejectUnauthorized: true },
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
      if (remoteAddress !== undefined && isAddressAllowed(remoteAddress, targets)) {
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
