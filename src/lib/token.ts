import { hash, randomBytes, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** What a token begins with, so that it can be told apart when it leaks. */
export type TokenPrefix = 'dkt_' | 'dcs_' | 'dat_' | 'drt_'

/** A new secret: the prefix, 32 random characters (190 bits) and a checksum of 6. */
export function newToken(prefix: TokenPrefix): string {
  const body = prefix + randomText(32, BASE_62)
  return body + checksumOf(body)
}

/** Has the text this prefix, the form and the right checksum? Says nothing of whether it was issued. */
export function isToken(prefix: TokenPrefix, text: string): boolean {
  if (!TOKEN.test(text) || !text.startsWith(prefix)) return false
  return checksumOf(text.slice(0, -6)) === text.slice(-6)
}

/** A new password of 20 letters and digits (116 bits), none of which is easily taken for another. */
export const newPassword = (): string => randomText(20, UNAMBIGUOUS)

/** A new code to be written down: 80 bits, in four groups. */
export const newRecoveryCode = (): string =>
  Array.from({ length: 4 }, () => randomText(4, CROCKFORD)).join('-')

/** A new secret to sign webhooks with, in the form of Standard Webhooks: 192 bits. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

/** A new secret of a link: 256 bits, in letters that an address takes. */
export const newLinkToken = (): string => randomBytes(32).toString('base64url')

/** What is kept of such a secret, and found by: SHA-256 in hexadecimal digits. */
export const hashOfLinkToken = (token: string): string => hash('sha256', token)

/** CRC-32 (IEEE) of a text in UTF-8, as 8 hexadecimal digits in lower case. */
export const crc32Hex = (text: string): string => crc32(text).toString(16).padStart(8, '0')

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const UNAMBIGUOUS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'
const TOKEN = /^[a-z]{3}_[0-9A-Za-z]{38}$/

/** Each character is drawn by itself: randomInt favours none, a remainder of a byte would. */
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
