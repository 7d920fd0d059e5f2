/** What may be reached beside the public addresses. */
export interface Allowances {
  /** Networks such as `10.1.0.0/16` or `fd00::/8`. */
  networks: readonly string[]
  /** Whether this machine itself may be reached. */
  loopback: boolean
}

/**
 * Whether a connection to an IP address (`192.0.2.1`, `2001:db8::1`) is harmless: a public one, or
 * among the allowances. What is no address, or has a zone, is not. IPv4 within IPv6 (mapped, 6to4,
 * NAT64) is judged as IPv6 and so refused: the kernel would unwrap it to wherever it points.
 */
export function addressAllowed(text: string, { networks, loopback }: Allowances): boolean {
  const address = addressIn(text)
  if (!address) return false
  const among = (list: readonly (Network | undefined)[]) =>
    list.some((network) => network !== undefined && holds(network, address))
  if (among(networks.map(networkIn)) || (loopback && among(LOOPBACK))) return true
  return !among(REFUSED) && (address.bits === IPV4 || among(PUBLIC_IPV6))
}

/**
 * The addresses that a host as `URL` reads it is without asking anybody; undefined for a name. URL has
 * made four numbers of decimal, octal, hexadecimal and full-width figures, as a connection would.
 */
export function addressesNamed(hostname: string): readonly string[] | undefined {
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1']
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)]
  return /^[\d.]+$/.test(hostname) ? [hostname] : undefined
}

/** Is the text a network in CIDR notation? */
export const isNetwork = (text: string): boolean => networkIn(text) !== undefined

const IPV4 = 32
const IPV6 = 128

interface Address {
  bits: typeof IPV4 | typeof IPV6
  value: bigint
}

interface Network extends Address {
  /** How many of the bits, from the left, name the network. */
  prefix: number
}

const holds = (network: Network, { bits, value }: Address): boolean => {
  const rest = BigInt(network.bits - network.prefix)
  return network.bits === bits && network.value >> rest === value >> rest
}

function networkIn(text: string): Network | undefined {
  const [, left = '', right = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const address = addressIn(left)
  const prefix = Number(right)
  return address && prefix <= address.bits ? { ...address, prefix } : undefined
}

/**
 * Dotted decimal only, without leading zeros: elsewhere `010` is read as 8 by some and as 10 by
 * others, and a guard must not read an address otherwise than the connection that follows.
 */
function addressIn(text: string): Address | undefined {
  if (text.includes(':')) return ipv6In(text)
  const numbers = text.split('.')
  if (numbers.length !== 4 || !numbers.every((number) => BYTE.test(number))) return undefined
  const value = numbers.reduce((sum, number) => sum * 256n + BigInt(number), 0n)
  return { bits: IPV4, value }
}

const BYTE = /^(0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/

function ipv6In(text: string): Address | undefined {
  const tail = /[^:]*\.[^:]*$/.exec(text)?.[0]
  const ipv4 = tail === undefined ? undefined : addressIn(tail)
  if (tail !== undefined && !ipv4) return undefined
  const plain = tail && ipv4 ? text.slice(0, -tail.length) + inGroups(ipv4.value) : text
  const [left = '', right, ...more] = plain.split('::')
  const groups = [left, right ?? ''].map((side) => (side === '' ? [] : side.split(':')))
  const [before = [], after = []] = groups
  const missing = 8 - before.length - after.length
  if (more.length > 0 || (right === undefined ? missing !== 0 : missing < 1)) return undefined
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  const value = all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
  return { bits: IPV6, value }
}

const inGroups = (ipv4: bigint) => `${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`

const networks = (...texts: string[]) => texts.map(networkIn)

const LOOPBACK = networks('127.0.0.0/8', '::1/128')

/** Private, reserved, of special use, or leading back to such (contract 8.7). */
const REFUSED = networks(
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
)

const PUBLIC_IPV6 = networks('2000::/3')
