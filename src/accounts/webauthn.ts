import type { Means } from '#core/door.ts'

/** The site for which browsers keep passkeys: none where it is named by a number, or passkeys are closed. */
export function siteOf({
  baseUrl,
  company,
}: Pick<Means, 'baseUrl' | 'company'>): string | undefined {
  const { hostname } = new URL(baseUrl)
  const isNumber = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  return isNumber || company?.only ? undefined : hostname
}

/** EdDSA, ES256, RS256 (COSE): some authenticators know one of them alone. */
export const ALGORITHMS = [-8, -7, -257] as const

/** What an authenticator gives when it makes a passkey, in base64url. */
export interface Made {
  id: string
  client_data: string
  attestation: string
}

/** What it gives when it is used. */
export interface Shown {
  id: string
  client_data: string
  authenticator_data: string
  signature: string
}

interface Expected {
  challenge: string
  origin: string
  site: string
}

const common = (id: string) =>
  ({ id, rawId: id, type: 'public-key', clientExtensionResults: {} }) as const

/** The key that was made; undefined where it was not made for this, or without asking for the person. */
export async function judgeMade({ id, client_data, attestation }: Made, expected: Expected) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const judged = await verifyRegistrationResponse({
    response: {
      ...common(id),
      response: { clientDataJSON: client_data, attestationObject: attestation },
    },
    ...expectations(expected),
    supportedAlgorithmIDs: [...ALGORITHMS],
  }).catch(unfit)
  if (!judged?.registrationInfo) return undefined
  const { id: credential, publicKey, counter } = judged.registrationInfo.credential
  return { credential, public_key: Buffer.from(publicKey).toString('base64url'), counter }
}

/** The count that a passkey tells; undefined where it does not prove what it ought to. */
export async function judgeShown(
  { id, client_data, authenticator_data, signature }: Shown,
  public_key: string,
  expected: Expected,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const judged = await verifyAuthenticationResponse({
    response: {
      ...common(id),
      response: {
        clientDataJSON: client_data,
        authenticatorData: authenticator_data,
        signature,
      },
    },
    // Whether the count goes on is looked at where it is kept.
    credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')), counter: 0 },
    ...expectations(expected),
  }).catch(unfit)
  return judged?.verified ? judged.authenticationInfo.newCounter : undefined
}

const expectations = ({ challenge, origin, site }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: site,
  requireUserVerification: true,
})

/** The library throws for whatever a client sends that is wrong: each of these is a no. */
const unfit = (): undefined => undefined
