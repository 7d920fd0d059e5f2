import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { WebhookTargets } from '#core/settings.ts'
import { addressAllowed } from '#lib/address.ts'
import type { Failure } from '#wire/events.ts'
import type { Target } from './guard.ts'

/** There is no connection over which to ask. */
export class Unreached extends Error {
  readonly failure: Failure

  constructor(failure: Failure, cause?: Error) {
    super(`No connection: ${failure}`, { cause })
    this.failure = failure
  }
}

/**
 * Connects to these addresses only, whatever the name means by now. The name is what a certificate must
 * be for. Fails with Unreached: undici would try some errors again for ever.
 */
export function pinnedConnector(
  { hostname }: Target,
  addresses: readonly string[],
  targets: WebhookTargets,
  timeout: number,
): buildConnector.connector {
  const connect = buildConnector({
    ...{ timeout, allowH2: false, rejectUnauthorized: true },
    lookup: alwaysFinding(addresses),
  })
  // What a client names in its handshake has no dot at its end (RFC 6066).
  const name = /^[[\d]/.test(hostname) ? {} : { servername: hostname.replace(/\.$/, '') }
  return (options, callback) => {
    const secure = options.protocol === 'https:'
    connect({ ...options, ...(secure && name) }, (error, socket) => {
      if (error) return callback(new Unreached(failureOf(error, secure), error), null)
      const { remoteAddress } = socket
      if (remoteAddress !== undefined && addressAllowed(remoteAddress, targets)) {
        return callback(null, socket)
      }
      socket.destroy()
      callback(new Unreached(remoteAddress ? 'blocked_address' : 'connection_failed'), null)
    })
  }
}

function alwaysFinding(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_hostname, { all }, done) => {
    const [first] = found
    if (all || !first) done(null, found)
    else done(null, first.address, first.family)
  }
}

/** With TLS, what fails after the connection was made is TLS. */
function failureOf(error: Error, secure: boolean): Failure {
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  const connecting =
    error instanceof AggregateError || ('syscall' in error && error.syscall === 'connect')
  return secure && !connecting ? 'tls_error' : 'connection_failed'
}
