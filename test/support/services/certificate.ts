import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A certificate and its private key, both as PEM. */
export interface TestCertificate {
  key: string
  cert: string
}

interface CertificateOptions {
  /** DNS names. Without names and addresses the certificate is a certificate authority. */
  names?: readonly string[]
  addresses?: readonly string[]
  /** The authority that signs; the certificate is self-signed without one. */
  issuer?: TestCertificate
  expired?: boolean
}

/** Builds a DER certificate by hand, because node:crypto cannot issue certificates. */
export function createCertificate({
  names = [],
  addresses = [],
  issuer,
  expired,
}: CertificateOptions): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const authority = names.length + addresses.length === 0
  const alternatives = [
    ...names.map((name) => der(0x82, Buffer.from(name))),
    ...addresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number)))),
  ]
  const extension = authority
    ? [
        oid('551d13'),
        der(0x01, Buffer.from([0xff])),
        der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
      ]
    : [oid('551d11'), der(0x04, sequence(...alternatives))]
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    named('Authority'),
    sequence(time('2020'), time(expired ? '2021' : '2120')),
    named(authority ? 'Authority' : 'Receiver'),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(...extension))),
  )
  const signer: KeyObject | string = issuer?.key ?? privateKey
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, signer)])
  const whole = sequence(content, ECDSA_SHA256, der(0x03, signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts))
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const named = (name: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))
const time = (year: string) => der(0x18, Buffer.from(`${year}0101000000Z`))

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
