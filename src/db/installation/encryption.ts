import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** Encrypts secrets in the database: AES-256-GCM, bound to a context such as the workspace. */
export interface Encryptor {
  encrypt(text: string, context: string): string
  decrypt(sealed: string, context: string): string
}

/** Derives a key for one purpose from the installation's secret. */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  createHmac('sha256', secret).update(purpose).digest()

export function createEncryptor(secret: string): Encryptor {
  const key = deriveKey(secret, 'seal')
  return {
    encrypt(text, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    decrypt(text, context) {
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
