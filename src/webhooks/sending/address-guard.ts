import type { WebhookTargetPolicy } from '#core/operator-settings.ts'
import { isAddressAllowed, parseLiteralAddresses } from '#lib/ip-address.ts'

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
}

/**
 * The destination of an attempt, or undefined if this installation sends nothing there (
 * docs/spec/api.md#where-webhooks-may-go). It is checked at every attempt: the settings may have changed since the webhook was
 * created.
 */
export function parseDestination(
  url: string,
  targets: WebhookTargetPolicy,
): AttemptDestination | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, origin, hostname, pathname, search } = new URL(url)
  const isAllowedHttp = protocol === 'http:' && (targets.allowHttp || targets.loopback)
  if (protocol !== 'https:' && !isAllowedHttp) return undefined
  const addresses = parseLiteralAddresses(hostname)?.filter((address) =>
    isAddressAllowed(address, targets),
  )
  if (addresses?.length === 0) return undefined
  return { origin, hostname, path: pathname + search, addresses }
}

/** Whether every address of a name is allowed: one allowed address among others is not enough. */
export const areAddressesAllowed = (
  addresses: readonly string[],
  targets: WebhookTargetPolicy,
): boolean => addresses.every((address) => isAddressAllowed(address, targets))
