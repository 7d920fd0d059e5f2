import { bumpAuthVersion } from '#auth/auth-version.ts'
import { listPasskeys } from '#auth/passkeys/passkeys.ts'
import { verifyPassword } from '#auth/passwords/password-hash.ts'
import { loadSecondFactorStatus } from '#auth/second-factor/second-factor.ts'
import {
  type AttemptLimit,
  countAttempts,
  limitAuditedFailures,
  limitByAddress,
  limitByEmail,
  limitsByDevice,
  withAttemptLimits,
} from '#auth/sign-in/attempt-limits.ts'
import { consumeSignInStep, findSignInStep } from '#auth/sign-in/sign-in-steps.ts'
import { findSsoLinkOfUser } from '#auth/sso-links/sso-links.ts'
import { loadEmailStatus } from '#auth/users/email-confirmation.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { ApiError, notFound } from '#core/api-error.ts'
import { type ActionContext, type ActionDeps, sessionAction } from '#core/session-action.ts'
import type { WriteTx } from '#core/transaction.ts'
import { normalizeAddress } from '#lib/ip-address.ts'
import { workspacesOfUser } from '#resources/sessions/store.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import * as contract from '../contract.ts'
import * as internal from '../internal.ts'
import { assertNotSsoOnly } from '../sso/sso-only.ts'
import {
  lockedPersonById,
  moveSessionToWorkspace,
  personByEmail,
  personById,
  removeSessionById,
  updateLastWorkspace,
} from '../store.ts'
import {
  expireSessionCookie,
  readDeviceToken,
  readSession,
  startSession,
  toSignInReply,
} from './start-session.ts'

/** The fields of an account that are needed to verify its password. */
export interface SignInAccount {
  id: string
  email: string
  password_hash: string | null
}

export const signInAction = sessionAction(contract.signIn, async (deps, context) => {
  assertNotSsoOnly(deps)
  const { email, password, workspace_id } = context.body
  const { storage } = deps
  const person = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(personByEmail, { email }))
  if (!(await verifyAccountPassword(deps, context, email, person, password)) || !person)
    throw wrongPassword()
  const outcome = await storage.write(createUserActor(person.id), async (tx) => {
    const { last_workspace_id } = await loadUnchangedAccount(tx, person)
    return startSession(tx, deps, context, {
      id: person.id,
      workspace_id,
      last_workspace_id,
      by: 'password',
    })
  })
  return toSignInReply(deps, outcome)
})

export const switchWorkspaceAction = sessionAction(
  contract.switchWorkspace,
  async (deps, { actor, body }) => {
    const [user_id, id] = [actor.user_id, actor.credential_id ?? '']
    const workspace_id = body.workspace_id ?? actor.workspace_id
    const operation = await deps.storage.write(actor, async (tx) => {
      const workspaces = await tx.all(workspacesOfUser, { user_id })
      if (!workspaces.some((workspace) => workspace.id === workspace_id)) throw notFound()
      if (workspace_id === actor.workspace_id) return {}
      await tx.run(moveSessionToWorkspace, { id, stands_in: workspace_id })
      tx.audit('session.moved', id, { user_id }, workspace_id)
      await tx.run(updateLastWorkspace, { user_id, stands_in: workspace_id })
      await bumpAuthVersion(tx)
      return { operation_id: tx.operation_id }
    })
    return { reply: await readSession(deps, { id, user_id, workspace_id }), ...operation }
  },
)

export const signOutAction = sessionAction(
  contract.signOut,
  async ({ storage, baseUrl }, { actor }) => {
    const [user_id, id] = [actor.user_id, actor.credential_id ?? '']
    const operation_id = await storage.write(actor, async (tx) => {
      const removedRows = await tx.run(removeSessionById, { id })
      if (removedRows > 0) tx.audit('session.ended', id, { user_id, reason: 'signed_out' })
      await bumpAuthVersion(tx)
      return tx.operation_id
    })
    return { reply: undefined, cookies: [expireSessionCookie(baseUrl)], operation_id }
  },
)

/**
 * Whether the password is right; throws 429 after too many failed attempts. Without an account it
 * does the same work, so that the response time does not reveal who has an account.
 */
export async function verifyAccountPassword(
  deps: ActionDeps,
  context: Pick<ActionContext<Endpoint>, 'cookie' | 'address'>,
  email: string,
  person: SignInAccount | undefined,
  password: string,
): Promise<boolean> {
  const { storage, log } = deps
  const limits = listAttemptLimits(deps, context, email, person)
  // A browser that has signed in before waits apart from strangers, too.
  const owner = { account: limits[0]?.name ?? email, address: context.address }
  const isPasswordRight = await verifyPassword(
    password,
    person?.password_hash ?? null,
    owner,
    (compare) => withAttemptLimits(storage, limits, compare),
  )
  // Not awaited, because the response time would reveal who has an account.
  if (!isPasswordRight && person) {
    storage
      .write(ANONYMOUS_ACTOR, (tx) => auditFailedSignIn(tx, person.id, context))
      .catch((err: unknown) =>
        log.error({ err }, 'Failed to record a failed sign-in in the audit log'),
      )
  }
  return isPasswordRight
}

/** Writes only some failures to the audit log, so that nobody can flood it with failed attempts. */
export async function auditFailedSignIn(
  tx: WriteTx,
  user_id: string,
  { address }: Pick<ActionContext<Endpoint>, 'address'>,
): Promise<void> {
  if ((await countAttempts(tx, [limitAuditedFailures(user_id)])).refusal) return
  const details = { address: normalizeAddress(address) }
  tx.audit('session.failed', user_id, details, INSTALLATION_AUDIT_LOG)
}

/** A browser that has signed in before has its own limits, which strangers cannot exhaust. */
function listAttemptLimits(
  { deviceKey }: ActionDeps,
  { cookie, address }: Pick<ActionContext<Endpoint>, 'cookie' | 'address'>,
  email: string,
  person: Pick<SignInAccount, 'id'> | undefined,
): AttemptLimit[] {
  const device = person && readDeviceToken(deviceKey, cookie, person.id)
  return device ? limitsByDevice(device, person.id) : [limitByEmail(email), limitByAddress(address)]
}

/**
 * Loads the account again and throws 401 if its password has changed since it was verified. It cannot
 * change before the transaction ends.
 */
export async function loadUnchangedAccount(tx: WriteTx, { id, password_hash }: SignInAccount) {
  const current = await tx.one(lockedPersonById, { id })
  if (!current || current.password_hash !== password_hash) throw wrongPassword()
  return current
}

/** The same error for unknown addresses and wrong passwords. */
export const wrongPassword = () =>
  new ApiError(401, 'invalid_credentials', 'The email address or password is wrong.')

/** Lists the sign-in methods of the current user. */
export const getSignInMethodsAction = sessionAction(
  internal.getSignInMethods,
  async ({ storage }, { actor }) => {
    const user_id = actor.user_id
    const reply = await storage.read(actor, async (tx) => {
      const person = await tx.one(personById, { id: user_id })
      return {
        has_password: (person?.password_hash ?? null) !== null,
        email: await loadEmailStatus(tx, user_id),
        company: await findSsoLinkOfUser(tx, user_id),
        passkeys: (await listPasskeys(tx, user_id)).map(({ credential: _, ...passkey }) => passkey),
        second_factor: await loadSecondFactorStatus(tx, user_id),
      }
    })
    return { reply }
  },
)

/**
 * Signs in with a link that an operator has created. It replaces the password or the SSO sign-in.
 */
export const signInWithLinkAction = sessionAction(
  internal.signInWithLink,
  async (deps, context) => {
    const { storage } = deps
    const { token } = context.body
    let id = ''
    await withAttemptLimits(storage, [limitByAddress(context.address)], async () => {
      id =
        (await storage.read(ANONYMOUS_ACTOR, (tx) => findSignInStep(tx, 'link', token)))?.user_id ??
        ''
      return id !== ''
    })
    if (id === '') throw notFound()
    const outcome = await storage.write(createUserActor(id), async (tx) => {
      const person = await tx.one(lockedPersonById, { id })
      const step = await consumeSignInStep(tx, 'link', token)
      if (!step || !person) throw notFound()
      const { last_workspace_id } = person
      return startSession(tx, deps, context, { id, last_workspace_id, by: 'link' })
    })
    return toSignInReply(deps, outcome)
  },
)
