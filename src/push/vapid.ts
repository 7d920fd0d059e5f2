import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { ensureInstallationValue, installationValue } from '#db/installation/open-store.ts'
import { PUSH_PRIVATE_KEY, PUSH_PUBLIC_KEY } from '#db/notifications/push-devices.ts'

/**
 * The key pair by which push services know this installation (RFC 8292). Browsers bind their
 * subscriptions to the public key, so it never changes.
 */
export interface VapidKeys {
  /** The point, uncompressed, in base64url. */
  publicKey: string
  privateKey: KeyObject
}

/**
 * Reads the keys of the installation, which the first start makes. They are in the database, so that
 * backups contain them; the private one is encrypted.
 */
export async function openVapidKeys(storage: Storage): Promise<VapidKeys> {
  const stored = await storage.write(ANONYMOUS_ACTOR, async (tx) => {
    if (!(await tx.one(installationValue, { name: PUSH_PUBLIC_KEY }))) {
      const { publicKey, privateKey } = makeKeys()
      await tx.run(ensureInstallationValue, {
        name: PUSH_PRIVATE_KEY,
        value: tx.encrypt(privateKey),
      })
      await tx.run(ensureInstallationValue, { name: PUSH_PUBLIC_KEY, value: publicKey })
    }
    // What is stored counts: another process may have been first.
    const publicKey = await tx.one(installationValue, { name: PUSH_PUBLIC_KEY })
    const privateKey = await tx.one(installationValue, { name: PUSH_PRIVATE_KEY })
    if (!publicKey || !privateKey) throw new Error('The keys for Web Push are missing')
    return { publicKey: publicKey.value, privateKey: tx.decrypt(privateKey.value) }
  })
  const key = Buffer.from(stored.privateKey, 'base64')
  return {
    publicKey: stored.publicKey,
    privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
  }
}

function makeKeys(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // The last 65 bytes of the DER encoding are the point.
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65)
  return {
    publicKey: point.toString('base64url'),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }
}

/** Push services refuse tokens that are valid for more than a day (RFC 8292 §2). */
const TOKEN_TTL_SECONDS = 12 * 60 * 60

interface VapidClaims {
  /** The address of the subscription. */
  endpoint: string
  /** Where the push service can reach the operator: an https or mailto URL. */
  contact: string | undefined
  nowMs: number
}

/** Returns the Authorization header of a message to a push service (RFC 8292 §3). */
export function createVapidHeader(
  { publicKey, privateKey }: VapidKeys,
  { endpoint, contact, nowMs }: VapidClaims,
): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(nowMs / 1_000) + TOKEN_TTL_SECONDS,
    ...(contact !== undefined && { sub: contact }),
  }
  const unsigned = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  // ES256 signatures are the two numbers themselves, not DER (RFC 7518 §3.4).
  const signature = sign('sha256', Buffer.from(unsigned), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  })
  return `vapid t=${unsigned}.${signature.toString('base64url')}, k=${publicKey}`
}
