import { limitByAddress, withAttemptLimits } from '#auth/sign-in/attempt-limits.ts'
import {
  emailTaken,
  ensureAccount,
  type PreparedPassword,
  preparePassword,
} from '#auth/users/accounts.ts'
import { sendConfirmationLink } from '#auth/users/email-confirmation.ts'
import { accountExists, findUnclaimedDemo, isSetupToken } from '#auth/workspaces/first-owner.ts'
import { createWorkspace, DEFAULT_PLAN } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { ApiError, validationFailed } from '#core/api-error.ts'
import { type ActionContext, type ActionDeps, sessionAction } from '#core/session-action.ts'
import type { WriteTx } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import type { EndpointInput } from '#wire/endpoint.ts'
import { fieldError } from '#wire/field-error.ts'
import * as contract from '../contract.ts'
import { getRelyingPartyId } from '../passkeys/passkeys.ts'
import {
  type PendingSignIn,
  type StartedSession,
  startSession,
  toSignInReply,
} from '../sign-in/start-session.ts'
import { assertNotSsoOnly } from '../sso/sso-only.ts'
import { insertFirstAccountMark } from '../store.ts'

export const getSetupAction = sessionAction(contract.getSetup, async (deps, { isLocal }) => {
  const reply = await deps.storage.read(ANONYMOUS_ACTOR, async (tx) => {
    const hasAnyAccount = await accountExists(tx)
    const isUnclaimedDemo = (await findUnclaimedDemo(tx)) !== undefined
    const { ssoProvider } = deps
    const isSsoOnly = ssoProvider?.isOnlySignIn === true
    const signup = isSsoOnly ? 'invite' : hasAnyAccount ? deps.signup : 'open'
    return {
      signup,
      initialized: hasAnyAccount && !isUnclaimedDemo,
      company: ssoProvider?.name ?? null,
      password: !isSsoOnly,
      passkeys: getRelyingPartyId(deps) !== undefined,
      setup_token: signup === 'open' && getRequiredSetupToken(deps, isLocal) !== undefined,
    }
  })
  return { reply }
})

export const signUpAction = sessionAction(
  contract.signUp,
  async (deps, context) => {
    const { body, address } = context
    assertSetupToken(deps, context)
    let outcome: StartedSession | PendingSignIn | undefined
    // A client that tries many addresses finds out which have an account, so attempts are limited.
    await withAttemptLimits(deps.storage, [limitByAddress(address)], async () => {
      const preparedPassword = await preparePassword(body.password, {
        account: body.email,
        address,
      })
      const now = deps.storage.clock.now()
      const [workspace_id, user_id] = [newId('wsp', now), newId('usr', now)]
      outcome = await deps.storage.write(createUserActor(user_id, workspace_id), async (tx) => {
        if (deps.signup === 'invite') await assertFirstAccount(tx)
        const id = await createAccountWithWorkspace(tx, body, preparedPassword)
        return id === undefined
          ? undefined
          : startSession(tx, deps, context, { id, workspace_id, by: 'sign_up' })
      })
      return outcome !== undefined
    })
    if (!outcome) throw emailTaken()
    return toSignInReply(deps, outcome)
  },
  {
    async authorize({ storage, signup, ssoProvider }) {
      assertNotSsoOnly({ ssoProvider })
      if (signup === 'open') return
      if (await storage.read(ANONYMOUS_ACTOR, accountExists)) throw signupDisabled()
    },
  },
)

/**
 * Creates the account and the transaction's workspace. Returns undefined if the account exists
 * already.
 */
async function createAccountWithWorkspace(
  tx: WriteTx,
  {
    email,
    name,
    workspace_name,
    timezone = 'UTC',
    locale,
  }: EndpointInput<typeof contract.signUp>['body'],
  preparedPassword: PreparedPassword,
): Promise<string | undefined> {
  const id = tx.actor.user_id ?? newId('usr', tx.nowMs)
  const account = await ensureAccount(tx, { id, email, name, timezone, locale }, preparedPassword)
  if (account.password === null) return undefined
  await createWorkspace(tx, { name: workspace_name, plan: DEFAULT_PLAN, timezone })
  await createMembership(tx, { user_id: account.user_id, name, role: 'owner' })
  await sendConfirmationLink(tx, account.user_id, email)
  return account.user_id
}

/**
 * While anybody may reach a new installation, only its operator may create the first account: it
 * owns the first workspace and invites everybody else.
 */
function assertSetupToken(
  deps: ActionDeps,
  { body: { setup_token: input }, isLocal }: ActionContext<typeof contract.signUp>,
): void {
  const setupToken = getRequiredSetupToken(deps, isLocal)
  if (setupToken === undefined) return
  const why = `the setup token, which Docket printed when it first started; \`docket setup-token\` prints it again`
  if (input === undefined) {
    throw validationFailed(fieldError('setup_token', 'required', `is required: ${why}`))
  }
  if (!isSetupToken(input, setupToken)) {
    throw validationFailed(fieldError('setup_token', 'invalid_value', `must be ${why}`))
  }
}

/**
 * The base URL does not tell whether others can reach the sign-up: a proxy may replace the `Host`
 * header by the address of this machine, while nobody has set the base URL.
 */
const getRequiredSetupToken = ({ setupToken }: ActionDeps, isLocal: boolean) =>
  isLocal && !setupToken?.isAlwaysRequired ? undefined : setupToken?.token

/** If two requests sign up as the first user, the second is rejected, even in another process. */
async function assertFirstAccount(tx: WriteTx): Promise<void> {
  const isFirst = (await tx.run(insertFirstAccountMark, { at: tx.now })) === 1
  if (!isFirst || (await accountExists(tx))) throw signupDisabled()
}

export const signupDisabled = () =>
  new ApiError(403, 'signup_disabled', 'You need an invitation to sign up here.')
