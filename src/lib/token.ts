import { createHmac, hash, randomBytes, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The prefix by which secret scanners recognize a leaked token. */
type TokenPrefix = 'dkt_' | 'dcs_' | 'dat_' | 'drt_'

/** A new secret: the prefix, 32 random characters (190 bits) and a checksum of 6. */
export function newToken(prefix: TokenPrefix): string {
  const body = prefix + randomText(32, BASE_62)
  return body + checksumOf(body)
}

/**
 * The same secret for the same key and seed, in the form of `newToken`. The remainder of 512 bits has
 * no bias that could be measured.
 */
export function deriveToken(prefix: TokenPrefix, key: Buffer, seed: string): string {
  let rest = BigInt(`0x${createHmac('sha512', key).update(seed).digest('hex')}`)
  let body: string = prefix
  for (let at = 0; at < 32; at += 1) {
    body += BASE_62.charAt(Number(rest % 62n))
    rest /= 62n
  }
  return body + checksumOf(body)
}

/** Whether the text has this prefix, the right form and checksum. It may never have been issued. */
export function isToken(prefix: TokenPrefix, text: string): boolean {
  if (!TOKEN.test(text) || !text.startsWith(prefix)) return false
  return checksumOf(text.slice(0, -6)) === text.slice(-6)
}

/** A new password of 20 letters and digits (116 bits), without characters that look alike. */
export const newPassword = (): string => randomText(20, UNAMBIGUOUS)

/** A new recovery code: 80 bits in four groups that are easy to write down. */
export const newRecoveryCode = (): string =>
  Array.from({ length: 4 }, () => randomText(4, CROCKFORD)).join('-')

/** A new webhook signing secret in the format of Standard Webhooks: 192 bits. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

/** A new secret for a link: 256 bits in URL-safe characters. */
export const newLinkToken = (): string => randomBytes(32).toString('base64url')

/** The stored form of a link token, which also serves for lookup: SHA-256 in hexadecimal. */
export const hashLinkToken = (token: string): string => hash('sha256', token)

/** CRC-32 (IEEE) of a text in UTF-8, as 8 lower-case hexadecimal digits. */
export const crc32Hex = (text: string): string => crc32(text).toString(16).padStart(8, '0')

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const UNAMBIGUOUS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'
const TOKEN = /^[a-z]{3}_[0-9A-Za-z]{38}$/

/**
 * Draws each character with `randomInt`, which has no bias; the remainder of a random byte would.
 */
function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}

function checksumOf(text: string): string {
  let digits = ''
  for (let rest = crc32(text); digits.length < 6; rest = Math.floor(rest / 62)) {
    digits = BASE_62.charAt(rest % 62) + digits
  }
  return digits
}
