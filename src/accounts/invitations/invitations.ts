import { createHmac, timingSafeEqual } from 'node:crypto'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { limitByAddress, withAttemptLimits } from '#auth/sign-in/attempt-limits.ts'
import { ensureAccount, markEmailVerified, preparePassword } from '#auth/users/accounts.ts'
import { sendConfirmationLink } from '#auth/users/email-confirmation.ts'
import { type Actor, ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { assertNoFieldErrors, notFound, validationFailed } from '#core/api-error.ts'
import type { EmailTemplate } from '#core/mailer.ts'
import { type ActionContext, type ActionDeps, sessionAction } from '#core/session-action.ts'
import type { WriteTx } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { hashLinkToken } from '#lib/token.ts'
import * as contract from '#resources/invitations/internal.ts'
import { invite, noteInvitation } from '#resources/invitations/operations.ts'
import { consumeInvitation, invitationByHash } from '#resources/invitations/store.ts'
import { assertCanManageRole, loadManager } from '#resources/members/load.ts'
import { addMember } from '#resources/members/membership.ts'
import { addToPeopleList } from '#resources/projects/people.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fieldError } from '#wire/field-error.ts'
import { findPasswordErrors } from '../contract.ts'
import { verifyCodeIfEnabled } from '../second-factor/verify-second-factor.ts'
import { loadUnchangedAccount, verifyAccountPassword, wrongPassword } from '../sign-in/sign-in.ts'
import {
  type AuthenticatedPerson,
  type PendingSignIn,
  type StartedSession,
  startSession,
  toSignInReply,
} from '../sign-in/start-session.ts'
import { assertNotSsoOnly } from '../sso/sso-only.ts'
import { lockedPersonById } from '../store.ts'

/** The email with the link of an invitation. The secret of the job is the token of the link. */
export const invitationEmail = (baseUrl: string): EmailTemplate => ({
  kind: 'invitation_email',
  maxRunning: 1,
  async compose(tx, { secret = '' }) {
    const invitation = await tx.one(invitationByHash, {
      hash: hashLinkToken(secret.split('.')[0] ?? ''),
      now: tx.now,
    })
    // It was used, revoked or replaced since.
    if (!invitation) return undefined
    const { email, role, workspace_name, invited_by_name, verified_email } = invitation
    // To an address that nobody has confirmed goes no name: people could write anything there.
    const isConfirmed = verified_email === email
    const inviter = isConfirmed ? invited_by_name : 'Somebody'
    const workspace = isConfirmed ? `the workspace ${workspace_name}` : 'a workspace'
    return {
      to: email,
      subject: isConfirmed
        ? `${inviter} invited you to ${workspace_name} on Docket`
        : 'You are invited to a workspace on Docket',
      text: `${inviter} invited you to join ${workspace} on Docket as ${role}.

To accept, open this link within seven days:

${baseUrl}/invite/${secret}

If you did not expect this invitation, ignore this email. Nothing happens until you accept.
`,
    }
  },
})

export const createInvitationAction = sessionAction(
  contract.createInvitation,
  async (deps, context) => {
    const { storage, hasMail, baseUrl } = deps
    const { actor, body } = context
    const { invitation, token, operation_id } = await storage.write(actor, async (tx) => {
      await assertSessionActive(tx, actor)
      assertCanManageRole(await loadManager(tx), body.role)
      const { invitation, token } = await invite(tx, body)
      if (hasMail) {
        const payload = { invitation_id: invitation.id }
        const secret = toMailedToken(deps.deviceKey, token)
        await enqueueJob(tx, { kind: 'invitation_email', payload, secret })
      }
      return { invitation, token, operation_id: tx.operation_id }
    })
    return { reply: { ...invitation, accept_url: `${baseUrl}/invite/${token}` }, operation_id }
  },
  {
    authorize: async (_, { actor, body }) =>
      assertCanManageRole(actor, Object(body).role ?? 'guest'),
  },
)

export const lookUpInvitationAction = sessionAction(
  contract.lookUpInvitation,
  async (deps, { body }) => {
    const invitation = await findInvitationByToken(deps, body.token)
    if (!invitation) throw notFound()
    // Not whether the address has an account: the inviter has the link, too.
    const { email, role, workspace_name, invited_by_name } = invitation
    return { reply: { email, role, workspace_name, invited_by_name } }
  },
  { allowsAnyOrigin: true },
)

/**
 * The token of the link in the email. The inviter has the link, too, so only the signature that the
 * email adds shows that somebody has read the mailbox.
 */
const toMailedToken = (key: Buffer, token: string): string =>
  `${token}.${createHmac('sha256', key).update(`mailed invitation ${token}`).digest('base64url')}`

function isMailedToken(key: Buffer, text: string): boolean {
  const given = Buffer.from(text)
  const expected = Buffer.from(toMailedToken(key, text.split('.')[0] ?? ''))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The part of the token of a link that both links of an invitation have. */
const hashInvitationToken = (text: string): string => hashLinkToken(text.split('.')[0] ?? '')

type AcceptInvitationContext = ActionContext<typeof contract.acceptInvitation>

/** An invitation, and the account of its address if there is one. */
type InvitationWithAccount = NonNullable<Awaited<ReturnType<typeof findInvitationByToken>>>

export const acceptInvitationAction = sessionAction(
  contract.acceptInvitation,
  async (deps, context) => {
    if (!context.actor) assertNotSsoOnly(deps)
    const { token } = context.body
    let invited: InvitationWithAccount | undefined
    await withAttemptLimits(deps.storage, [limitByAddress(context.address)], async () => {
      invited = await findInvitationByToken(deps, token)
      return invited !== undefined
    })
    if (!invited) throw notFound()
    // A session proves a sign-in of its own person only.
    if (context.actor?.user_id !== invited.user_id) assertNotSsoOnly(deps)
    const accept = invited.user_id === null ? acceptWithNewAccount : acceptWithExistingAccount
    return toSignInReply(deps, await accept(deps, context, invited))
  },
)

/** Creates an account with the submitted name and password, because the address has none. */
async function acceptWithNewAccount(
  deps: ActionDeps,
  context: AcceptInvitationContext,
  invited: InvitationWithAccount,
): Promise<StartedSession | PendingSignIn> {
  const { name, password, timezone = invited.timezone, locale } = context.body
  if (name === undefined || password === undefined) {
    const missingFields = Object.entries({ name, password }).filter(
      ([, value]) => value === undefined,
    )
    throw validationFailed(
      ...missingFields.map(([field]) => fieldError(field, 'required', 'is required')),
    )
  }
  assertNoFieldErrors(findPasswordErrors({ password }))
  const { email } = invited
  const preparedPassword = await preparePassword(password, {
    account: email,
    address: context.address,
  })
  const id = newId('usr', deps.storage.clock.now())
  return acceptInvitationOf(deps, context, invited, { id, name, by: 'sign_up' }, async (tx) => {
    const account = await ensureAccount(tx, { id, email, name, timezone, locale }, preparedPassword)
    // Another request has created the account meanwhile, and the password has not been checked
    // against it.
    if (account.password === null) throw wrongPassword()
    if (!isMailedToken(deps.deviceKey, context.body.token))
      await sendConfirmationLink(tx, id, email)
  })
}

/** The link alone never opens an existing account: its password or its session is required, too. */
async function acceptWithExistingAccount(
  deps: ActionDeps,
  context: AcceptInvitationContext,
  invited: InvitationWithAccount,
): Promise<StartedSession | PendingSignIn> {
  const { email, user_id, name, password_hash } = invited
  const person = { id: user_id ?? '', name: name ?? '', email, password_hash }
  if (context.actor?.user_id === person.id) {
    return acceptInvitationOf(deps, context, invited, { ...person, by: 'session' })
  }
  const { password } = context.body
  if (password === undefined) throw wrongPassword()
  if (!(await verifyAccountPassword(deps, context, email, person, password))) throw wrongPassword()
  const twice = await verifyCodeIfEnabled(deps, context, person.id, context.body.code)
  return acceptInvitationOf(deps, context, invited, { ...person, by: 'password', twice }, (tx) =>
    loadUnchangedAccount(tx, person),
  )
}

type InvitedPerson = Pick<AuthenticatedPerson, 'id' | 'by' | 'twice'> & { name: string }

const acceptInvitationOf = (
  deps: ActionDeps,
  context: AcceptInvitationContext,
  invited: InvitationWithAccount,
  person: InvitedPerson,
  prepare?: (tx: WriteTx) => Promise<unknown>,
) => joinByInvitation(deps, context, { invited, person, token: context.body.token }, prepare)

/** Adds the user to the workspace and starts a session there. Each link can be used once. */
export function joinByInvitation(
  deps: Pick<ActionDeps, 'storage' | 'baseUrl' | 'deviceKey'>,
  context: Pick<ActionContext<Endpoint>, 'cookie' | 'agent' | 'address'>,
  {
    invited,
    token,
    person,
  }: { invited: InvitationWithAccount; token: string; person: InvitedPerson },
  prepare: (tx: WriteTx) => Promise<unknown> = async () => {},
): Promise<StartedSession | PendingSignIn> {
  const { workspace_id, id: invitation_id, role, project_ids } = invited
  const { id: user_id, name, ...method } = person
  const actor: Actor = { ...createUserActor(user_id, workspace_id), name, role }
  return deps.storage.write(actor, async (tx) => {
    await tx.one(lockedPersonById, { id: user_id })
    const hash = hashInvitationToken(token)
    // The inviter may have been removed since the invitation was read.
    if (!(await tx.one(invitationByHash, { hash, now: tx.now }))) throw notFound()
    if ((await tx.run(consumeInvitation, { hash, now: tx.now })) === 0) throw notFound()
    noteInvitation(tx, invitation_id)
    tx.audit('invitation.accepted', invitation_id, { user_id })
    await prepare(tx)
    // A first proof, too; but who accepts has shown the password or a session of the account as well.
    if (isMailedToken(deps.deviceKey, token)) await markEmailVerified(tx, user_id)
    await addMember(tx, { user_id, name, role })
    for (const project_id of JSON.parse(project_ids) as string[]) {
      await addToPeopleList(tx, { project_id, user_id })
    }
    await bumpAuthVersion(tx)
    return startSession(tx, deps, context, { id: user_id, workspace_id, ...method })
  })
}

/** Finds the invitation of a link, unless it was used, revoked or replaced, or has expired. */
export const findInvitationByToken = ({ storage }: Pick<ActionDeps, 'storage'>, token: string) =>
  storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.one(invitationByHash, {
      hash: hashInvitationToken(token),
      now: timestampOf(storage.clock.now()),
    }),
  )
