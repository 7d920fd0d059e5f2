import type { WebhookTargets } from '#core/settings.ts'
import { addressAllowed, addressesNamed } from '#lib/address.ts'

/** Where an attempt goes, as its URL tells. */
export interface Target {
  /** Scheme, host and port. */
  origin: string
  /** As URL writes it: an IPv6 address is in brackets. */
  hostname: string
  /** Path and query. */
  path: string
  /** The harmless addresses that the host is itself; undefined for a name, which means some. */
  addresses: readonly string[] | undefined
}

/**
 * The target of an attempt, or undefined if this installation sends nothing there (contract 8.7). It
 * is judged at every attempt: what is allowed may have changed since the webhook was made.
 */
export function targetOf(url: string, targets: WebhookTargets): Target | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, origin, hostname, pathname, search } = new URL(url)
  const plain = protocol === 'http:' && (targets.allowHttp || targets.loopback)
  if (protocol !== 'https:' && !plain) return undefined
  const addresses = addressesNamed(hostname)?.filter((one) => addressAllowed(one, targets))
  if (addresses?.length === 0) return undefined
  return { origin, hostname, path: pathname + search, addresses }
}

/** Whether nothing that a name means is refused: one good address among bad ones does not suffice. */
export const allAllowed = (addresses: readonly string[], targets: WebhookTargets): boolean =>
  addresses.every((address) => addressAllowed(address, targets))
