import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** The keys of a push subscription, as its browser made them (Push API, `PushSubscription`): base64url. */
export interface SubscriptionKeys {
  p256dh: string
  auth: string
}

/** The values that are random for each message. Only tests give them. */
interface MessageEntropy {
  salt?: Buffer
  /** The private key of the sender, of which each message has its own. */
  privateKey?: Buffer
}

/** The length of a record. A push service need not take more than 4,096 bytes (RFC 8030 §7.2). */
const RECORD_BYTES = 4_096
/** Marks the end of the only record (RFC 8188 §2). */
const LAST_RECORD = Buffer.from([2])

/**
 * Encrypts a message for one subscription with the content coding `aes128gcm` (RFC 8291): only its
 * browser can read it, the push service cannot. Throws if the key of the browser is no point of the
 * curve.
 */
export function encryptPushMessage(
  text: string,
  { p256dh, auth }: SubscriptionKeys,
  { salt = randomBytes(16), privateKey }: MessageEntropy = {},
): Buffer {
  const sender = createECDH('prime256v1')
  if (privateKey) sender.setPrivateKey(privateKey)
  else sender.generateKeys()
  const senderKey = sender.getPublicKey()
  const receiverKey = Buffer.from(p256dh, 'base64url')
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, senderKey])
  const secret = sender.computeSecret(receiverKey)
  const inputKey = deriveBytes(secret, Buffer.from(auth, 'base64url'), keyInfo, 32)
  const key = deriveBytes(inputKey, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = deriveBytes(inputKey, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const head = Buffer.alloc(21)
  salt.copy(head)
  head.writeUInt32BE(RECORD_BYTES, 16)
  head.writeUInt8(senderKey.length, 20)
  const body = [cipher.update(text, 'utf8'), cipher.update(LAST_RECORD), cipher.final()]
  return Buffer.concat([head, senderKey, ...body, cipher.getAuthTag()])
}

const deriveBytes = (key: Buffer, salt: Buffer, info: string | Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length))
