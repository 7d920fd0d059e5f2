import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Signs a file with an Ed25519 key (RFC 8032) and writes the signature beside it, as `openssl pkeyutl`
 * verifies it. The key is a private one in PEM, as `openssl genpkey -algorithm ed25519` makes it.
 */
export function signFile(path: string, keyPath: string): string {
  const key = createPrivateKey(readFileSync(keyPath))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${keyPath} is no Ed25519 key.`)
  const signature = `${path}.sig`
  writeFileSync(signature, sign(null, readFileSync(path), key))
  return signature
}
