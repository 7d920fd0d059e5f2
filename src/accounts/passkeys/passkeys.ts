import { randomBytes } from 'node:crypto'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import {
  addPasskey,
  findPasskey,
  listPasskeys,
  MAX_PASSKEYS_PER_USER,
  recordPasskeyUse,
  removePasskey,
} from '#auth/passkeys/passkeys.ts'
import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { limitByAddress, withAttemptLimits } from '#auth/sign-in/attempt-limits.ts'
import {
  completeSignInState,
  openSignInState,
  sealSignInState,
} from '#auth/sign-in/sign-in-steps.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { ApiError, conflict, notFound, validationFailed } from '#core/api-error.ts'
import { type ActionContext, type ActionDeps, sessionAction } from '#core/session-action.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fieldError } from '#wire/field-error.ts'
import * as contract from '../internal.ts'
import { recordSecondFactorShown, signInExpired } from '../second-factor/verify-second-factor.ts'
import { assertSecondFactorShown, reauthenticate } from '../sign-in/reauthentication.ts'
import {
  expireStepCookie,
  type PendingSignIn,
  readStepCookie,
  type StartedSession,
  serializeStepCookie,
  startSession,
  toSignInReply,
} from '../sign-in/start-session.ts'
import { assertNotSsoOnly } from '../sso/sso-only.ts'
import { lockedPersonById } from '../store.ts'

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
const COSE_ALGORITHMS = [-8, -7, -257] as const

/** An authenticator's response to a registration, in base64url. */
interface PasskeyRegistration {
  id: string
  client_data: string
  attestation: string
}

/** An authenticator's response to a sign-in, in base64url. */
interface PasskeyAssertion {
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
async function verifyPasskeyRegistration(
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
async function verifyPasskeyAssertion(
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

/**
 * Creates a challenge for this browser: for a sign-in, or with `user_id` for a user's new passkey.
 */
function createChallenge(deps: ActionDeps, user_id: string | null) {
  const site = getRelyingPartyId(deps)
  if (site === undefined) throw notFound()
  const challenge = randomBytes(32).toString('base64url')
  const state = sealSignInState(deps, 'passkey', { user_id, payload: challenge })
  return {
    challengeJson: { challenge, site },
    cookies: [serializeStepCookie(deps.baseUrl, 'passkey', state)],
  }
}

/**
 * Returns the challenge of this browser, and the values that the authenticator's response must
 * match. The transaction that accepts the response must also complete the challenge, or the response
 * could be sent again.
 */
function readChallenge(
  deps: ActionDeps,
  { cookie }: Pick<ActionContext<Endpoint>, 'cookie'>,
  user_id: string | null,
) {
  const origin = deps.baseUrl
  const state = openSignInState(deps, 'passkey', readStepCookie(origin, 'passkey', cookie))
  const site = getRelyingPartyId(deps)
  if (!state || state.user_id !== user_id || site === undefined) throw signInExpired()
  return { state, expected: { challenge: state.payload, origin, site } }
}

export const beginPasskeySignInAction = sessionAction(contract.beginPasskeySignIn, async (deps) => {
  assertNotSsoOnly(deps)
  const { challengeJson, cookies } = createChallenge(deps, null)
  return { reply: challengeJson, cookies }
})

/** Passkeys verify the user by biometrics or a PIN, so no other factor is required. */
export const signInWithPasskeyAction = sessionAction(
  contract.signInWithPasskey,
  async (deps, context) => {
    assertNotSsoOnly(deps)
    const { body, address } = context
    const { storage, baseUrl } = deps
    const { state, expected } = readChallenge(deps, context, null)
    let outcome: StartedSession | PendingSignIn | undefined
    let isReplay = false
    await withAttemptLimits(storage, [limitByAddress(address)], async () => {
      const passkey = await storage.read(ANONYMOUS_ACTOR, (tx) => findPasskey(tx, body.id))
      const counter = passkey && (await verifyPasskeyAssertion(body, passkey.public_key, expected))
      if (!passkey || counter === undefined) return false
      const { id, user_id, last_workspace_id } = passkey
      outcome = await storage.write(createUserActor(user_id), async (tx) => {
        await tx.one(lockedPersonById, { id: user_id })
        isReplay = !(await completeSignInState(tx, state))
        if (isReplay) return undefined
        // The passkey may have been removed meanwhile.
        if (!(await findPasskey(tx, body.id))) return undefined
        if (!(await recordPasskeyUse(tx, { id, user_id, counter }))) return undefined
        const { workspace_id } = body
        return startSession(tx, deps, context, {
          id: user_id,
          workspace_id,
          last_workspace_id,
          by: 'passkey',
        })
      })
      return outcome !== undefined
    })
    if (isReplay) throw signInExpired()
    if (!outcome) throw unknownPasskey()
    const result = await toSignInReply(deps, outcome)
    return { ...result, cookies: [...result.cookies, expireStepCookie(baseUrl, 'passkey')] }
  },
)

export const beginPasskeyRegistrationAction = sessionAction(
  contract.beginPasskeyRegistration,
  async (deps, context) => {
    assertNotSsoOnly(deps)
    const person = await reauthenticate(deps, context, context.body.current_password)
    await assertSecondFactorShown(deps, context)
    const { challengeJson, cookies } = createChallenge(deps, person.id)
    const registered = await deps.storage.read(ANONYMOUS_ACTOR, (tx) => listPasskeys(tx, person.id))
    const user = { id: Buffer.from(person.id).toString('base64url'), name: person.email }
    const reply = {
      ...challengeJson,
      user,
      algorithms: [...COSE_ALGORITHMS],
      known: registered.map(({ credential }) => credential),
    }
    return { reply, cookies }
  },
)

export const createPasskeyAction = sessionAction(contract.createPasskey, async (deps, context) => {
  assertNotSsoOnly(deps)
  const { body, actor } = context
  const user_id = actor.user_id
  const { state, expected } = readChallenge(deps, context, user_id)
  const credential = await verifyPasskeyRegistration(body, expected)
  if (!credential)
    throw validationFailed(
      fieldError(
        'attestation',
        'invalid_value',
        'must be a passkey that was created for this request',
      ),
    )
  const { name } = body
  const transports = JSON.stringify(body.transports)
  const { passkey, operation_id } = await deps.storage.write(
    createUserActor(user_id),
    async (tx) => {
      await assertSessionActive(tx, actor)
      if (!(await completeSignInState(tx, state))) throw signInExpired()
      if ((await listPasskeys(tx, user_id)).length >= MAX_PASSKEYS_PER_USER) {
        throw conflict(
          'limit_reached',
          `You can have at most ${MAX_PASSKEYS_PER_USER} passkeys. Remove one first.`,
        )
      }
      const passkey = await addPasskey(tx, { user_id, name, transports, ...credential })
      if (passkey) {
        await recordSecondFactorShown(tx, actor)
        await notifyOfSecurityChange(tx, user_id, 'passkey_added')
      }
      return { passkey, operation_id: tx.operation_id }
    },
  )
  if (!passkey) throw validationFailed(fieldError('id', 'invalid_value', 'is already registered'))
  return { reply: passkey, operation_id, cookies: [expireStepCookie(deps.baseUrl, 'passkey')] }
})

export const deletePasskeyAction = sessionAction(
  contract.deletePasskey,
  async (deps, context) => {
    const { actor, body, params } = context
    const { id: user_id } = await reauthenticate(deps, context, body.current_password)
    // Otherwise anyone with only the password could replace the passkey with their own.
    await assertSecondFactorShown(deps, context)
    const operation_id = await deps.storage.write(createUserActor(user_id), async (tx) => {
      await assertSessionActive(tx, actor)
      if (!(await removePasskey(tx, user_id, params.id))) throw notFound()
      await notifyOfSecurityChange(tx, user_id, 'passkey_removed')
      await bumpAuthVersion(tx)
      return tx.operation_id
    })
    return { reply: undefined, operation_id }
  },
  {
    async authorize({ storage }, { actor: { user_id }, params }) {
      const passkeys = await storage.read(ANONYMOUS_ACTOR, (tx) => listPasskeys(tx, user_id))
      if (!passkeys.some(({ id }) => id === params.id)) throw notFound()
    },
  },
)

/** The same error for unknown passkeys and for invalid signatures. */
const unknownPasskey = () =>
  new ApiError(401, 'invalid_credentials', 'This passkey does not belong to an account here.')
