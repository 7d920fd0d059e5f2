import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Writes and reads the positions of one feed as texts. */
export interface PositionToken {
  create(position: unknown): string
  /** Throws what `reject` returns if the text was not made for this feed. */
  parse(token: string, reject: () => Error): unknown
}

/**
 * Encrypts positions, because they tell how much happens in projects that the reader does not see. They
 * are bound to their feed, so that one of another person or with other filters is rejected. Equal
 * positions have equal texts.
 */
export function createPositionTokens(secret: string): (scope: string) => PositionToken {
  const key = createHash('sha256').update(`positions of feeds\n${secret}`).digest()
  return (scope) => ({
    create(position) {
      const text = JSON.stringify(position)
      const iv = createHmac('sha256', key)
        .update(`${scope}\n${text}`)
        .digest()
        .subarray(0, IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(scope))
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(parts).toString('base64url')
    },
    parse(token, reject) {
      const bytes = Buffer.from(token, 'base64url')
      // Letters that base64 ignores would make another text of the same position.
      const isExact = bytes.toString('base64url') === token
      if (!isExact || bytes.length <= IV_BYTES + TAG_BYTES) throw reject()
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(scope))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
      try {
        return JSON.parse(Buffer.concat([text, decipher.final()]).toString())
      } catch {
        throw reject()
      }
    },
  })
}
