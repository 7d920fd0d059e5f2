import type { ActionDeps } from '#core/session-action.ts'

/**
 * The WebAuthn relying party id. Undefined if the host is an IP address or passkeys are not
 * allowed.
 */
export function getRelyingPartyId({
  baseUrl,
  ssoProvider,
}: Pick<ActionDeps, 'baseUrl' | 'ssoProvider'>): string | undefined {
  const { hostname } = new URL(baseUrl)
  const isIpAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  return isIpAddress || ssoProvider?.isOnlySignIn ? undefined : hostname
}

/** The COSE ids of EdDSA, ES256 and RS256. Some authenticators support only one of them. */
export const COSE_ALGORITHMS = [-8, -7, -257] as const

/** An authenticator's response to a registration, in base64url. */
export interface PasskeyRegistration {
  id: string
  client_data: string
  attestation: string
}

/** An authenticator's response to a sign-in, in base64url. */
export interface PasskeyAssertion {
  id: string
  client_data: string
  authenticator_data: string
  signature: string
}

interface WebAuthnExpectation {
  challenge: string
  origin: string
  site: string
}

const credentialFields = (id: string) =>
  ({ id, rawId: id, type: 'public-key', clientExtensionResults: {} }) as const

/**
 * Returns the new credential, or undefined if the challenge, origin or user verification do not
 * match.
 */
export async function verifyPasskeyRegistration(
  { id, client_data, attestation }: PasskeyRegistration,
  expected: WebAuthnExpectation,
) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyRegistrationResponse({
    response: {
      ...credentialFields(id),
      response: { clientDataJSON: client_data, attestationObject: attestation },
    },
    ...verificationOptions(expected),
    supportedAlgorithmIDs: [...COSE_ALGORITHMS],
  }).catch(toUndefined)
  if (!verified?.registrationInfo) return undefined
  const { id: credential, publicKey, counter } = verified.registrationInfo.credential
  return { credential, public_key: Buffer.from(publicKey).toString('base64url'), counter }
}

/** Returns the signature counter, or undefined if the assertion is not valid. */
export async function verifyPasskeyAssertion(
  { id, client_data, authenticator_data, signature }: PasskeyAssertion,
  public_key: string,
  expected: WebAuthnExpectation,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyAuthenticationResponse({
    response: {
      ...credentialFields(id),
      response: {
        clientDataJSON: client_data,
        authenticatorData: authenticator_data,
        signature,
      },
    },
    // The update of the stored counter checks that it increases.
    credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')), counter: 0 },
    ...verificationOptions(expected),
  }).catch(toUndefined)
  return verified?.verified ? verified.authenticationInfo.newCounter : undefined
}

const verificationOptions = ({ challenge, origin, site }: WebAuthnExpectation) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: site,
  requireUserVerification: true,
})

/** The library throws for every invalid input; we treat each of these as not verified. */
const toUndefined = (): undefined => undefined
