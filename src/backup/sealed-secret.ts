import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { conflict } from '#core/api-error.ts'
import { backupDamaged } from './backup-damaged.ts'

/** The content of `secret.sealed`: the secret under AES-256-GCM with a key that scrypt derives. */
interface SealedSecret {
  /** The version of the algorithms and their parameters. No other one can be opened. */
  format: 1
  salt: string
  nonce: string
  tag: string
  sealed: string
}

/** 32 MiB and about 0.2 s for each guess (OWASP Password Storage Cheat Sheet, scrypt). */
const SCRYPT_PARAMS = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 }
const KEY_BYTES = 32

const deriveFromPassphrase = promisify<string, Buffer, number, typeof SCRYPT_PARAMS, Buffer>(scrypt)

/** Encrypts the secret of an installation with a passphrase. */
export async function sealSecret(secret: string, passphrase: string): Promise<string> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const key = await deriveFromPassphrase(passphrase, salt, KEY_BYTES, SCRYPT_PARAMS)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  const content: SealedSecret = {
    format: 1,
    salt: salt.toString('base64url'),
    nonce: nonce.toString('base64url'),
    tag: cipher.getAuthTag().toString('base64url'),
    sealed: sealed.toString('base64url'),
  }
  return JSON.stringify(content)
}

/** Decrypts the secret. Throws 409 `wrong_passphrase` if it was encrypted with another one. */
export async function openSealedSecret(text: string, passphrase: string): Promise<string> {
  const { salt, nonce, tag, sealed } = parseSealedSecret(text)
  const bytes = (part: string) => Buffer.from(part, 'base64url')
  const key = await deriveFromPassphrase(passphrase, bytes(salt), KEY_BYTES, SCRYPT_PARAMS)
  try {
    const options = { authTagLength: 16 }
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(nonce), options)
    decipher.setAuthTag(bytes(tag))
    return decipher.update(bytes(sealed), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw conflict(
      'wrong_passphrase',
      'DOCKET_BACKUP_PASSPHRASE is not the passphrase with which the secret of this backup was sealed.',
    )
  }
}

function parseSealedSecret(text: string): SealedSecret {
  try {
    const content = JSON.parse(text) as Partial<SealedSecret>
    const { format, salt, nonce, tag, sealed } = content
    if (format === 1 && salt && nonce && tag && sealed) return { format, salt, nonce, tag, sealed }
  } catch {}
  throw backupDamaged('The sealed secret is damaged, or was written by a newer release.')
}
