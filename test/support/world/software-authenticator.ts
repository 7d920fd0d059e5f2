import { createSign, generateKeyPairSync, hash, randomBytes } from 'node:crypto'

const USER_PRESENT_AND_VERIFIED = 0x05
const ATTESTED_CREDENTIAL_DATA = 0x40

interface PasskeyRequest {
  challenge: string
  origin?: string
  site?: string
  /** Leaves out user verification, such as a fingerprint or a PIN. */
  unverified?: boolean
}

const b64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')
const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer')

/** A software authenticator: ES256, no attestation (WebAuthn Level 2, §6.1 and §6.5). */
export function createSoftwareAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  let counter = 0

  const clientData = (
    type: string,
    { challenge, origin = 'http://localhost:4000' }: PasskeyRequest,
  ) => JSON.stringify({ type, challenge, origin, crossOrigin: false })
  const authenticatorDataOf = (
    { site = 'localhost', unverified }: PasskeyRequest,
    more: number,
  ): Buffer => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const flags = (unverified ? 0x01 : USER_PRESENT_AND_VERIFIED) | more
    return Buffer.concat([sha256(site), Buffer.from([flags]), count])
  }
  return {
    id: b64(id),
    /** Sets the signature counter that it will report. */
    count(value: number) {
      counter = value
    },
    make(wanted: PasskeyRequest) {
      const key = Buffer.concat([
        // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ])
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const data = Buffer.concat([
        authenticatorDataOf(wanted, ATTESTED_CREDENTIAL_DATA),
        credential,
      ])
      const attestation = Buffer.concat([
        // {"fmt": "none", "attStmt": {}, "authData": …}
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      const client_data = b64(clientData('webauthn.create', wanted))
      return { id: b64(id), client_data, attestation: b64(attestation), transports: ['internal'] }
    },
    show(wanted: PasskeyRequest) {
      const client = clientData('webauthn.get', wanted)
      const data = authenticatorDataOf(wanted, 0)
      const signer = createSign('sha256').update(data).update(sha256(client))
      const signature = signer.sign(privateKey)
      return {
        id: b64(id),
        client_data: b64(client),
        authenticator_data: b64(data),
        signature: b64(signature),
      }
    },
  }
}
