/** Whether this browser supports passkeys, including their options as JSON (WebAuthn Level 3). */
export const isPasskeySupported = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential

interface PasskeyChallenge {
  challenge: string
  site: string
}

interface PasskeyCreationChallenge extends PasskeyChallenge {
  user: { id: string; name: string }
  algorithms: readonly number[]
  known: readonly string[]
}

/** Creates a passkey; undefined if the person cancels. */
export async function createPasskeyCredential({
  challenge,
  site,
  user,
  algorithms,
  known,
}: PasskeyCreationChallenge) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    challenge,
    rp: { id: site, name: 'Docket' },
    user: { ...user, displayName: user.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known.map((id) => ({ type: 'public-key', id })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  })
  const created = await navigator.credentials.create({ publicKey }).catch(ignoreCancel)
  if (!(created instanceof PublicKeyCredential)) return undefined
  const { id, response } = created
  if (!(response instanceof AuthenticatorAttestationResponse)) return undefined
  return {
    id,
    client_data: base64url(response.clientDataJSON),
    attestation: base64url(response.attestationObject),
    transports: response.getTransports(),
  }
}

/** Whether this browser offers passkeys in the autofill of the email field. */
export const isPasskeyAutofillSupported = async (): Promise<boolean> =>
  isPasskeySupported() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

/**
 * Asks the browser for a passkey of this site; undefined if the person cancels. With a signal no
 * dialog opens: passkeys are offered in the autofill of the email field, until one is chosen or the
 * signal aborts.
 */
export async function requestPasskey(
  { challenge, site }: PasskeyChallenge,
  autofillSignal?: AbortSignal,
) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    challenge,
    rpId: site,
    userVerification: 'required',
  })
  const credential = await navigator.credentials
    .get({ publicKey, ...(autofillSignal && { mediation: 'conditional', signal: autofillSignal }) })
    .catch(ignoreCancel)
  if (!(credential instanceof PublicKeyCredential)) return undefined
  const { id, response } = credential
  if (!(response instanceof AuthenticatorAssertionResponse)) return undefined
  return {
    id,
    client_data: base64url(response.clientDataJSON),
    authenticator_data: base64url(response.authenticatorData),
    signature: base64url(response.signature),
  }
}

/** Closing the browser's dialog, or letting it time out, is not an error. */
function ignoreCancel(error: unknown): undefined {
  if (error instanceof DOMException && /^(NotAllowed|Abort)Error$/.test(error.name))
    return undefined
  throw error
}

function base64url(buffer: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(buffer))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
