/** Blocked addresses: this machine, private networks, cloud metadata services, reserved ranges. */
const IPV4 = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.5',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
]

const IPV6 = [
  '::1',
  '::',
  '0:0:0:0:0:0:0:1',
  '::0001',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '3fff::1',
  '100::1',
  '5f00::1',
  '4000::1',
]

/** Names that mean this machine without a DNS lookup. */
const LOCAL = [
  'localhost',
  'LocalHost',
  'localhost.',
  'a.localhost',
  'a.b.localhost.',
  'ｌocalhost',
]

/**
 * Returns URLs of blocked addresses, which must be refused both when a webhook is created and when
 * it is sent to.
 */
export function privateAddressUrls(port: number): string[] {
  const hosts = [...IPV4.flatMap(ipv4Spellings), ...IPV6.map((address) => `[${address}]`), ...LOCAL]
  const plain = hosts.map((host) => `http://${host}:${port}/`)
  return [
    ...plain,
    'http://169.254.169.254/latest/meta-data/',
    'https://127.0.0.1/',
    `HTTP:127.0.0.1:${port}/`,
    `http:\\\\127.0.0.1:${port}\\`,
    `http://127.0.0.1:0${port}/`,
    `http://127.0.\t0.1:${port}/`,
    `http://127.0.0.1:${port}/@8.8.8.8/`,
  ]
}

/** Returns URLs that look like one host but name another; none may reach a blocked address. */
export function misleadingHostUrls(port: number, allowed: string): string[] {
  const [blockedHost, allowedHost] = [`127.0.0.1:${port}`, `${allowed}:${port}`]
  return [
    `http://${allowedHost}@${blockedHost}/`,
    `http://${blockedHost}@${allowedHost}/`,
    `http://${blockedHost}#@${allowedHost}/`,
    `http://${allowedHost}\\@${blockedHost}/`,
    `http://${blockedHost}\\@${allowedHost}/`,
    `http://${allowedHost}/@${blockedHost}`,
    `http://${allowed}%40${blockedHost}/`,
    `http://${allowedHost}?@${blockedHost}/`,
    `http://${allowedHost}#@${blockedHost}/`,
    `http://${allowedHost}%2f@${blockedHost}/`,
    `http://${allowedHost};${blockedHost}/`,
    `http://${allowedHost}, ${blockedHost}/`,
    `http://[::1%25lo]:${port}/`,
    `http://[::1%lo]:${port}/`,
    `http://[fe80::1%25lo]:${port}/`,
    `http://[${allowed}]:${port}/`,
    `http://127.0.0.1%00.a.example:${port}/`,
    `http://${blockedHost}:80/`,
    `http://1.127.0.0.1:${port}/`,
    `http://127.0.0.1..:${port}/`,
    `ftp://${blockedHost}/`,
    `gopher://${blockedHost}/`,
    `file:///etc/passwd`,
    `data:text/plain,x`,
    `ws://${blockedHost}/`,
    `unix:/run/docker.sock`,
    `http+unix://%2Frun%2Fdocker.sock/`,
    '',
  ]
}

/** Returns the spellings of an IPv4 address that some URL parser understands. */
function ipv4Spellings(address: string): string[] {
  const bytes = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (number: number) => number.toString(16)
  const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
  const toFullWidth = (text: string) =>
    text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + +digit))
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${hex(whole)}`,
    `0X${hex(whole).toUpperCase()}`,
    `0${whole.toString(8)}`,
    bytes.map((byte) => `0x${hex(byte)}`).join('.'),
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    `0x${hex(a)}.0${b.toString(8)}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    toFullWidth(address),
    address.replaceAll('.', '\u3002'),
    address.replaceAll('.', '%2e'),
    `%3${String(a).charAt(0)}${address.slice(1)}`,
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${groups}::]`,
  ]
}
