import { type Actor, NOBODY, personally } from '#core/actor.ts'
import { door, type Means, type Visit } from '#core/door.ts'
import type { Letter } from '#core/mail.ts'
import { invalid, notFound, refuseFaults } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { ensureAccount, preparePassword } from '#identity/account.ts'
import { attempt, ofAddress } from '#identity/attempts.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { loadWorkspace } from '#identity/workspace.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { hashOfLinkToken } from '#lib/token.ts'
import * as contract from '#resources/invitations/internal.ts'
import { invite, noteInvitation } from '#resources/invitations/operations.ts'
import { invitationByHash, useInvitation } from '#resources/invitations/store.ts'
import { refusePowerless } from '#resources/members/acting.ts'
import { addMember } from '#resources/members/membership.ts'
import { putInList } from '#resources/projects/people-store.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fault } from '#wire/fault.ts'
import { judged } from './contract.ts'
import { type Entered, enter, type Held, type Person, welcome } from './enter.ts'
import { refuseOtherWays } from './only.ts'
import { shownBeside } from './second-factor.ts'
import { proven, unchanged, wrongPassword } from './sign-in.ts'

export const createInvitation = door(
  contract.createInvitation,
  async ({ storage, mail, baseUrl }, { actor, body }) => {
    const { invitation, token, workspace_name, operation_id } = await storage.write(
      actor,
      async (tx) => {
        const workspace_name = (await loadWorkspace(tx))?.name ?? ''
        return { ...(await invite(tx, body)), workspace_name, operation_id: tx.operation_id }
      },
    )
    const accept_url = `${baseUrl}/invite/${token}`
    mail?.send(letterOf(invitation, { accept_url, workspace_name, inviter: actor.name }))
    return { reply: { ...invitation, accept_url }, operation_id }
  },
  { before: async (_, { actor, body }) => refusePowerless(actor, Object(body).role ?? 'guest') },
)

export const lookUpInvitation = door(
  contract.lookUpInvitation,
  async (means, { body }) => {
    const found = await invitationOf(means, body.token)
    if (!found) throw notFound()
    const { email, role, workspace_name, invited_by_name } = found
    const has_account = found.user_id !== null
    return { reply: { email, role, workspace_name, invited_by_name, has_account } }
  },
  { anyOrigin: true },
)

type Accepting = Visit<typeof contract.acceptInvitation>

/** An invitation with the account of its address, as it was looked at. */
type Invited = NonNullable<Awaited<ReturnType<typeof invitationOf>>>

export const acceptInvitation = door(contract.acceptInvitation, async (means, visit) => {
  if (!visit.actor) refuseOtherWays(means)
  const { token } = visit.body
  let found: Invited | undefined
  await attempt(means.storage, [ofAddress(visit.address)], async () => {
    found = await invitationOf(means, token)
    return found !== undefined
  })
  if (!found) throw notFound()
  const accept = found.user_id === null ? acceptAsNew : acceptAsKnown
  return welcome(means, visit, await accept(means, visit, found))
})

/** Without an account of the address one is made, with the name and the password that were sent. */
async function acceptAsNew(
  means: Means,
  visit: Accepting,
  invited: Invited,
): Promise<Entered | Held> {
  const { name, password, locale } = visit.body
  if (name === undefined || password === undefined) {
    const lacking = Object.entries({ name, password }).filter(([, value]) => value === undefined)
    throw invalid(...lacking.map(([field]) => fault(field, 'required', 'is required')))
  }
  refuseFaults(judged({ password }))
  const prepared = await preparePassword(password)
  const { email, timezone } = invited
  const id = newId('usr', means.storage.clock.now())
  return join(means, visit, invited, { id, name, by: 'sign_up' }, async (tx) => {
    const account = await ensureAccount(tx, { id, email, name, timezone, locale }, prepared)
    // Meanwhile somebody else has made one, and this password was never shown to be its.
    if (account.password === null) throw wrongPassword()
  })
}

/** The link alone never opens an account that is there: it takes its password, or its session. */
async function acceptAsKnown(
  means: Means,
  visit: Accepting,
  invited: Invited,
): Promise<Entered | Held> {
  const { email, user_id, name, password_hash } = invited
  const person = { id: user_id ?? '', name: name ?? '', email, password_hash }
  if (visit.actor?.user_id === person.id) {
    return join(means, visit, invited, { ...person, by: 'session' })
  }
  const { password } = visit.body
  if (password === undefined) throw wrongPassword()
  if (!(await proven(means, visit, email, person, password))) throw wrongPassword()
  const twice = await shownBeside(means, visit, person.id, visit.body.code)
  return join(means, visit, invited, { ...person, by: 'password', twice }, (tx) =>
    unchanged(tx, person),
  )
}

type Joining = Pick<Person, 'id' | 'by' | 'twice'> & { name: string }

const join = (
  means: Means,
  visit: Accepting,
  invited: Invited,
  person: Joining,
  prepare?: (tx: WriteTx) => Promise<unknown>,
) => joinInvited(means, visit, { invited, person, token: visit.body.token }, prepare)

/** Makes the person a member and begins a session there: once for each link. */
export function joinInvited(
  means: Means,
  visit: Pick<Visit<Endpoint>, 'cookie' | 'agent'>,
  { invited, token, person }: { invited: Invited; token: string; person: Joining },
  prepare: (tx: WriteTx) => Promise<unknown> = async () => {},
): Promise<Entered | Held> {
  const { workspace_id, id: invitation_id, role, project_ids } = invited
  const { id: user_id, name, ...how } = person
  const actor: Actor = { ...personally(user_id, workspace_id), name, role }
  return means.storage.write(actor, async (tx) => {
    const hash = hashOfLinkToken(token)
    if ((await tx.run(useInvitation, { hash, now: tx.now })) === 0) throw notFound()
    noteInvitation(tx, invitation_id, 'delete')
    tx.audit('invitation.accepted', invitation_id, { user_id })
    await prepare(tx)
    await addMember(tx, { user_id, name, role })
    for (const project_id of JSON.parse(project_ids) as string[]) {
      await putInList(tx, { project_id, user_id })
    }
    await advanceGeneration(tx)
    return enter(tx, means, visit, { id: user_id, workspace_id, ...how })
  })
}

/** What a link invites to; nothing for one that is unknown, used, taken back, replaced or expired. */
export const invitationOf = ({ storage }: Pick<Means, 'storage'>, token: string) =>
  storage.read(NOBODY, (tx) =>
    tx.one(invitationByHash, {
      hash: hashOfLinkToken(token),
      now: timestampOf(storage.clock.now()),
    }),
  )

interface Told {
  accept_url: string
  workspace_name: string
  inviter: string
}

const letterOf = (
  { email, role }: contract.Invitation,
  { accept_url, workspace_name, inviter }: Told,
): Letter => ({
  to: email,
  subject: `${inviter} invites you to ${workspace_name} on Docket`,
  text: `${inviter} invites you to the workspace ${workspace_name} on Docket, as ${role}.

To accept, open this link within seven days:

${accept_url}

If you do not expect this, do nothing: the link alone changes nothing.
`,
})
