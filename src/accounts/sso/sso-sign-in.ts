import { bumpAuthVersion } from '#auth/auth-version.ts'
import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import {
  completeSignInState,
  type OpenedSignInState,
  openSignInState,
  sealSignInState,
} from '#auth/sign-in/sign-in-steps.ts'
import {
  findUserOfSsoIdentity,
  linkSsoIdentity,
  recordSsoSignIn,
  removeSsoLinks,
} from '#auth/sso-links/sso-links.ts'
import { ensureAccount, markEmailVerified, NO_PASSWORD, setPassword } from '#auth/users/accounts.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { proveMailbox } from '#auth/users/user-access.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { ApiError, conflict, notFound } from '#core/api-error.ts'
import {
  type ActionContext,
  type ActionDeps,
  type ActionResult,
  sessionAction,
} from '#core/session-action.ts'
import type { SsoClaims, SsoProvider } from '#core/sso-provider.ts'
import type { WriteTx } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { addMember } from '#resources/members/membership.ts'
import type { Session } from '#resources/sessions/contract.ts'
import * as contract from '../internal.ts'
import { findInvitationByToken, joinByInvitation } from '../invitations/invitations.ts'
import { signInExpired } from '../second-factor/verify-second-factor.ts'
import { assertSecondFactorShown, reauthenticate } from '../sign-in/reauthentication.ts'
import {
  expireStepCookie,
  type PendingSignIn,
  readSession,
  readStepCookie,
  type StartedSession,
  serializeStepCookie,
  startSession,
  toSignInReply,
} from '../sign-in/start-session.ts'
import { signupDisabled } from '../sign-up/sign-up.ts'
import { lockedPersonById, personByEmail, personById } from '../store.ts'

/** The state that the browser keeps while it is at the provider. */
interface SsoSignInPayload {
  kept: string
  /** The token of the invitation link from which the sign-in was started. */
  invitation: string | undefined
}

type SsoCallbackContext = ActionContext<typeof contract.finishSsoSignIn>

export const beginSsoSignInAction = sessionAction(
  contract.beginSsoSignIn,
  async (deps, context) => {
    const { purpose, invitation, current_password } = context.body
    const company = requireSsoProvider(deps)
    const user_id =
      purpose === 'link' ? (await reauthenticate(deps, context, current_password)).id : null
    // A session by single sign-on counts as one with a second factor.
    if (user_id !== null) await assertSecondFactorShown(deps, context)
    const { url, kept } = await company.beginSignIn()
    const payload = JSON.stringify({ kept, invitation } satisfies SsoSignInPayload)
    const state = sealSignInState(deps, 'company', { user_id, payload })
    return {
      reply: { redirect_to: url },
      cookies: [serializeStepCookie(deps.baseUrl, 'company', state)],
    }
  },
)

/** Handles the browser's return from the provider. Its state is removed even if this fails. */
export const finishSsoSignInAction = sessionAction(
  contract.finishSsoSignIn,
  async (deps, context) => {
    const company = requireSsoProvider(deps)
    const sealed = readStepCookie(deps.baseUrl, 'company', context.cookie)
    const state = openSignInState(deps, 'company', sealed)
    if (!state) throw signInExpired()
    const removal = expireStepCookie(deps.baseUrl, 'company')
    try {
      const { kept, invitation } = JSON.parse(state.payload) as SsoSignInPayload
      const claims = await company.finishSignIn(kept, context.body)
      const { cookies = [], ...result } =
        state.user_id === null
          ? await signIn(deps, context, { state, claims, invitation })
          : await linkOwnAccount(deps, context, { state, claims, user_id: state.user_id })
      return { ...result, cookies: [...cookies, removal] }
    } catch (error) {
      throw error instanceof ApiError ? withCookieRemoval(error, removal) : error
    }
  },
)

/** Removes a cookie with an error, unless the error sets another one. */
const withCookieRemoval = (error: ApiError, removal: string): ApiError<string> =>
  new ApiError<string>(error.status, error.code, error.message, {
    details: error.details,
    headers: { 'set-cookie': removal, ...error.headers },
    cause: error,
  })

/** A response of the provider, verified against the state with which its sign-in was started. */
interface SsoResponse {
  state: OpenedSignInState
  claims: SsoClaims
}

/** Throws 401 if the state was completed before. */
async function completeOnce(tx: WriteTx, state: OpenedSignInState): Promise<void> {
  if (!(await completeSignInState(tx, state))) throw signInExpired()
}

async function signIn(
  deps: ActionDeps,
  context: SsoCallbackContext,
  response: SsoResponse & { invitation: string | undefined },
): Promise<ActionResult<Session>> {
  return toSignInReply(deps, await findOrCreateAccount(deps, context, response))
}

/** Links the signed-in user's account to the SSO identity. */
async function linkOwnAccount(
  deps: ActionDeps,
  { actor }: SsoCallbackContext,
  { state, claims, user_id }: SsoResponse & { user_id: string },
): Promise<ActionResult<Session>> {
  if (actor?.user_id !== user_id) throw signInExpired()
  const operation_id = await deps.storage.write(createUserActor(user_id), async (tx) => {
    await assertSessionActive(tx, actor)
    await completeOnce(tx, state)
    const isMine = await linkSsoIdentity(tx, { ...claims, user_id })
    if (!isMine && (await findUserOfSsoIdentity(tx, claims)) !== user_id) {
      throw conflict('company_linked', 'This company sign-in is already linked to another account.')
    }
    if (isMine) await notifyOfSecurityChange(tx, user_id, 'company_linked')
    return tx.operation_id
  })
  const session = { id: actor.credential_id ?? '', user_id, workspace_id: actor.workspace_id }
  return { reply: await readSession(deps, session), operation_id }
}

/**
 * Finds the account by its SSO link or by its email address, which the provider has verified;
 * otherwise it creates an account. If nobody has proved before that the address of an account is
 * theirs, somebody else may have created it, so everything that was set up before ends.
 */
async function findOrCreateAccount(
  deps: ActionDeps,
  context: SsoCallbackContext,
  { state, claims, invitation }: SsoResponse & { invitation: string | undefined },
): Promise<StartedSession | PendingSignIn> {
  const { email } = claims
  const invited =
    invitation === undefined ? undefined : await findInvitationByToken(deps, invitation)
  const [linkedUserId, accountOfEmail] = await deps.storage.read(ANONYMOUS_ACTOR, async (tx) => [
    await findUserOfSsoIdentity(tx, claims),
    email === null ? undefined : await tx.one(personByEmail, { email }),
  ])
  const isUnproven = linkedUserId === undefined && accountOfEmail?.verified_email !== email
  // Without mail nobody can confirm an address: the account may well be this person's, with keys in use.
  if (accountOfEmail && isUnproven && !deps.hasMail) throw accountNotLinked()
  const id = linkedUserId ?? accountOfEmail?.id
  const prepare = async (tx: WriteTx) => {
    await completeOnce(tx, state)
    const person = id === undefined ? undefined : await tx.one(lockedPersonById, { id })
    if (person && linkedUserId === undefined) {
      // The address of the account has changed since it was found.
      if (person.email !== email) throw signInExpired()
      if (person.verified_email !== email) await takeOverAccount(tx, person.id)
      await linkOrRestart(tx, claims, person.id)
      await notifyOfSecurityChange(tx, person.id, 'company_linked')
    }
    if (linkedUserId === undefined) return
    if (person?.email === email) await markEmailVerified(tx, linkedUserId)
    await recordSsoSignIn(tx, claims)
  }
  if (id !== undefined) {
    const person = await deps.storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(personById, { id }))
    if (invited && invitation !== undefined && invited.email === person?.email) {
      const invitedPerson = { id, name: person.name, by: 'company' } as const
      return joinByInvitation(
        deps,
        context,
        { invited, token: invitation, person: invitedPerson },
        prepare,
      )
    }
    return deps.storage.write(createUserActor(id), async (tx) => {
      const { last_workspace_id = null } = (await tx.one(lockedPersonById, { id })) ?? {}
      await prepare(tx)
      return startSession(tx, deps, context, { id, last_workspace_id, by: 'company' })
    })
  }
  if (email === null) throw emailNotVerified()
  const person = {
    id: newId('usr', deps.storage.clock.now()),
    name: claims.name,
    by: 'company',
  } as const
  const prepareAccount = async (tx: WriteTx) => {
    await completeOnce(tx, state)
    await createVerifiedAccount(tx, { ...claims, email }, person.id, context)
  }
  if (invited && invitation !== undefined && invited.email === email) {
    return joinByInvitation(deps, context, { invited, token: invitation, person }, prepareAccount)
  }
  return signUpNewcomer(deps, context, person, prepareAccount)
}

/** Knowing the password does not prove that the address belongs to the person. */
async function takeOverAccount(tx: WriteTx, user_id: string): Promise<void> {
  await setPassword(tx, user_id, null)
  await proveMailbox(tx, user_id)
}

async function signUpNewcomer(
  deps: ActionDeps,
  context: SsoCallbackContext,
  { id, name, by }: { id: string; name: string; by: 'company' },
  prepareAccount: (tx: WriteTx) => Promise<void>,
): Promise<StartedSession | PendingSignIn> {
  const { newMemberWorkspace: workspace_id } = requireSsoProvider(deps)
  if (workspace_id === undefined) throw signupDisabled()
  const role = 'member' as const
  const actor = { ...createUserActor(id, workspace_id), name, role }
  return deps.storage.write(actor, async (tx) => {
    await prepareAccount(tx)
    await addMember(tx, { user_id: id, name, role })
    await bumpAuthVersion(tx)
    return startSession(tx, deps, context, { id, workspace_id, by })
  })
}

/** Creates an account without a password. The provider has verified its email address. */
async function createVerifiedAccount(
  tx: WriteTx,
  claims: SsoClaims & { email: string },
  id: string,
  { body }: SsoCallbackContext,
): Promise<void> {
  const { email, name } = claims
  const account = { id, email, name, timezone: body.timezone ?? 'UTC' }
  // Another request has created the account meanwhile; its owner must prove that it is theirs.
  if ((await ensureAccount(tx, account, NO_PASSWORD)).user_id !== id) throw accountNotLinked()
  await markEmailVerified(tx, id)
  await linkOrRestart(tx, claims, id)
}

/**
 * If two requests link one identity at the same time, the second must start again and finds the
 * link.
 */
async function linkOrRestart(tx: WriteTx, claims: SsoClaims, user_id: string): Promise<void> {
  if (!(await linkSsoIdentity(tx, { ...claims, user_id }))) throw signInExpired()
}

export const endSsoLinkAction = sessionAction(contract.endSsoLink, async (deps, context) => {
  const { id: user_id } = await reauthenticate(deps, context, context.body.current_password)
  await assertSecondFactorShown(deps, context)
  const operation_id = await deps.storage.write(createUserActor(user_id), async (tx) => {
    await assertSessionActive(tx, context.actor)
    const person = await tx.one(personById, { id: user_id })
    if (person?.password_hash === null) {
      throw conflict('last_way_in', 'This is the only way you can sign in. Set a password first.')
    }
    if (await removeSsoLinks(tx, user_id))
      await notifyOfSecurityChange(tx, user_id, 'company_unlinked')
    return tx.operation_id
  })
  return { reply: undefined, operation_id }
})

function requireSsoProvider({ ssoProvider }: ActionDeps): SsoProvider {
  if (!ssoProvider) throw notFound()
  return ssoProvider
}

const accountNotLinked = () =>
  conflict(
    'account_not_linked',
    'An account with this email address already exists. Sign in with its password, then link it in your profile.',
  )

const emailNotVerified = () =>
  new ApiError(
    403,
    'company_email_refused',
    'Your company reports no verified email address for you.',
  )
