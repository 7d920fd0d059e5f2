/** Addresses that are allowed in addition to public ones. */
export interface NetworkAllowlist {
  /** Networks such as `10.1.0.0/16` or `fd00::/8`. */
  networks: readonly string[]
  /** True to allow the loopback addresses of this machine. */
  loopback: boolean
  /** True to allow no other address. */
  isExclusive?: boolean
}

/**
 * Whether connections to an IP address (`192.0.2.1`, `2001:db8::1`) are allowed: it is public or in
 * the allowlist, and no service of a cloud that hands out credentials of the machine. Invalid addresses and those with a zone are not. IPv4 within IPv6 (mapped, 6to4,
 * NAT64) is treated as IPv6 and so rejected, because the kernel would connect to the embedded
 * address.
 */
export function isAddressAllowed(
  text: string,
  { networks, loopback, isExclusive = false }: NetworkAllowlist,
): boolean {
  const address = parseAddress(text)
  if (!address) return false
  const isIn = (list: readonly (IpNetwork | undefined)[]) =>
    list.some((network) => network !== undefined && containsAddress(network, address))
  if (isIn(CLOUD_METADATA) || isMetadataInIpv6(address)) return false
  if (isIn(networks.map(parseNetwork)) || (loopback && isIn(LOOPBACK))) return true
  return !isExclusive && !isIn(BLOCKED) && (address.bits === IPV4_BITS || isIn(PUBLIC_IPV6))
}

/**
 * The addresses of a hostname from `URL` that needs no DNS lookup; undefined for any other name.
 * `URL` has already normalized octal, hexadecimal and full-width digits to dotted decimal, as a
 * connection would.
 */
export function parseLiteralAddresses(hostname: string): readonly string[] | undefined {
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1']
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)]
  return /^[\d.]+$/.test(hostname) ? [hostname] : undefined
}

/**
 * An address in the one form in which logs, sessions and the audit log have it: IPv4 also if it was
 * mapped into IPv6, and IPv6 compressed, in lower case and without a zone. Null if the text is no
 * address, for behind too many trusted proxies it is what the client wrote.
 */
export function normalizeAddress(text: string): string | null {
  const unmapped = /^::ffff:([\d.]+)$/i.exec(text)?.[1] ?? text.split('%', 1)[0] ?? ''
  const address = parseAddress(unmapped)
  if (!address) return null
  return address.bits === IPV4_BITS
    ? unmapped
    : new URL(`http://[${unmapped}]`).hostname.slice(1, -1)
}

/** Whether the text is a network in CIDR notation. */
export const isCidr = (text: string): boolean => parseNetwork(text) !== undefined

/** The length of six groups of four hexadecimal digits and a dotted IPv4 address. */
const MAX_LENGTH = 45

const IPV4_BITS = 32
const IPV6_BITS = 128

interface IpAddress {
  bits: typeof IPV4_BITS | typeof IPV6_BITS
  value: bigint
}

interface IpNetwork extends IpAddress {
  /** The length of the network prefix in bits. */
  prefix: number
}

const containsAddress = (network: IpNetwork, { bits, value }: IpAddress): boolean => {
  const hostBits = BigInt(network.bits - network.prefix)
  return network.bits === bits && network.value >> hostBits === value >> hostBits
}

function parseNetwork(text: string): IpNetwork | undefined {
  const [, left = '', right = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const address = parseAddress(left)
  const prefix = Number(right)
  return address && prefix <= address.bits ? { ...address, prefix } : undefined
}

/**
 * Accepts dotted decimal only, without leading zeros: some programs read `010` as 8 and others as
 * 10, and this check must read an address exactly as the connection does.
 */
function parseAddress(text: string): IpAddress | undefined {
  if (text.length > MAX_LENGTH) return undefined
  if (text.includes(':')) return parseIpv6(text)
  const numbers = text.split('.')
  if (numbers.length !== 4 || !numbers.every((number) => BYTE.test(number))) return undefined
  const value = numbers.reduce((sum, number) => sum * 256n + BigInt(number), 0n)
  return { bits: IPV4_BITS, value }
}

const BYTE = /^(0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/

function parseIpv6(text: string): IpAddress | undefined {
  const tail = text.slice(text.lastIndexOf(':') + 1)
  const ipv4 = tail.includes('.') ? parseAddress(tail) : undefined
  const hexText = ipv4 ? text.slice(0, -tail.length) + toHexGroups(ipv4.value) : text
  const [left = '', right, ...more] = hexText.split('::')
  const groups = [left, right ?? ''].map((side) => (side === '' ? [] : side.split(':')))
  const [before = [], after = []] = groups
  const missing = 8 - before.length - after.length
  if (more.length > 0 || (right === undefined ? missing !== 0 : missing < 1)) return undefined
  const allGroups = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  if (!allGroups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  const value = allGroups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
  return { bits: IPV6_BITS, value }
}

const toHexGroups = (ipv4: bigint) =>
  `${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`

const networks = (...texts: string[]) => texts.map(parseNetwork)

const LOOPBACK = networks('127.0.0.0/8', '::1/128')

/** Private, reserved and special-use networks, and those that can lead to them (docs/spec/api.md#where-webhooks-may-go). */
const BLOCKED = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
)

/**
 * Where clouds serve metadata and credentials of a machine. They stay blocked even if an allowed
 * network such as fd00::/8 contains them.
 */
const CLOUD_METADATA = networks(
  '169.254.0.0/16', // Nearly all clouds: 169.254.169.254, 169.254.170.2 and others.
  '168.63.129.16/32', // Azure, a public address.
  '100.100.100.200/32', // Alibaba Cloud.
  '192.0.0.192/32', // Oracle Cloud.
  ...['fd00:ec2::/32', 'fd20:ce::/32', 'fd00:c1::/32'], // AWS, Google Cloud, Oracle Cloud.
  ...['fd00:42::42/128', 'fe80::/10'], // Scaleway, OpenStack.
)

/** Networks of IPv6 addresses that contain an IPv4 address, and how many bits follow it. */
const WITH_IPV4: readonly [network: IpNetwork | undefined, bitsAfter: bigint][] = [
  ...networks('::ffff:0:0/96', '::/96', '64:ff9b::/96', '64:ff9b:1::/48').map(
    (network): [IpNetwork | undefined, bigint] => [network, 0n],
  ),
  [parseNetwork('2002::/16'), 80n],
]

/** Whether an IPv6 address leads to metadata by the IPv4 address in it (RFC 4291, 6052 and 3056). */
const isMetadataInIpv6 = (address: IpAddress): boolean =>
  WITH_IPV4.some(([network, bitsAfter]) => {
    if (network === undefined || !containsAddress(network, address)) return false
    const value = BigInt.asUintN(IPV4_BITS, address.value >> bitsAfter)
    const inner: IpAddress = { bits: IPV4_BITS, value }
    return CLOUD_METADATA.some((one) => one !== undefined && containsAddress(one, inner))
  })

const PUBLIC_IPV6 = networks('2000::/3')
