/** Whether this browser keeps passkeys, and takes what is asked of it as JSON. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential

interface Asked {
  challenge: string
  site: string
}

interface AskedToMake extends Asked {
  user: { id: string; name: string }
  algorithms: readonly number[]
  known: readonly string[]
}

/** Makes a passkey; undefined where the person did not want to. */
export async function makePasskey({ challenge, site, user, algorithms, known }: AskedToMake) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    challenge,
    rp: { id: site, name: 'Docket' },
    user: { ...user, displayName: user.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known.map((id) => ({ type: 'public-key', id })),
    authenticatorSelection: {
      ...{ residentKey: 'required', requireResidentKey: true },
      userVerification: 'required',
    },
    attestation: 'none',
  })
  const made = await navigator.credentials.create({ publicKey }).catch(unwanted)
  if (!(made instanceof PublicKeyCredential)) return undefined
  const { id, response } = made
  if (!(response instanceof AuthenticatorAttestationResponse)) return undefined
  return {
    id,
    client_data: base64url(response.clientDataJSON),
    attestation: base64url(response.attestationObject),
    transports: response.getTransports(),
  }
}

/** Whether this browser lists passkeys where it fills in the address of an account. */
export const offersPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

/**
 * Shows one of the passkeys that the browser has for this site; undefined where the person did not. With a signal
 * no dialog opens: they are offered in the field for the address, until one is taken or the signal ends it.
 */
export async function showPasskey({ challenge, site }: Asked, offered?: AbortSignal) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    ...{ challenge, rpId: site },
    userVerification: 'required',
  })
  const shown = await navigator.credentials
    .get({ publicKey, ...(offered && { mediation: 'conditional', signal: offered }) })
    .catch(unwanted)
  if (!(shown instanceof PublicKeyCredential)) return undefined
  const { id, response } = shown
  if (!(response instanceof AuthenticatorAssertionResponse)) return undefined
  return {
    id,
    client_data: base64url(response.clientDataJSON),
    authenticator_data: base64url(response.authenticatorData),
    signature: base64url(response.signature),
  }
}

/** Closing the browser's own dialog, or letting its time pass, is a choice and no trouble. */
function unwanted(error: unknown): undefined {
  if (error instanceof DOMException && /^(NotAllowed|Abort)Error$/.test(error.name))
    return undefined
  throw error
}

function base64url(buffer: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(buffer))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
