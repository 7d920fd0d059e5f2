import { NOBODY, personally } from '#core/actor.ts'
import type { Claims, Company } from '#core/company.ts'
import { door, type Means, type Visit } from '#core/door.ts'
import { conflict, notFound, Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { ensureAccount, NO_PASSWORD, noteVerified } from '#identity/account.ts'
import { link, linkedTo, noteUse, unlink } from '#identity/company-links.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { beginStep, takeStep } from '#identity/steps.ts'
import { newId } from '#lib/id.ts'
import { addMember } from '#resources/members/membership.ts'
import { confirmed } from './confirm.ts'
import { stepCleared, stepIn, stepSet } from './cookies.ts'
import { type Entered, enter, type Held, showSession, welcome } from './enter.ts'
import * as contract from './internal.ts'
import { invitationOf, joinInvited } from './invitations.ts'
import { signInOver } from './second-factor.ts'
import { signupDisabled } from './sign-up.ts'
import { personByEmail, personById } from './store.ts'

const LASTS_MS = 10 * 60 * 1000

/** What is kept of a sign-in while the browser is at the provider. */
interface Begun {
  kept: string
  /** Of a link that invites, where the person comes from there. */
  invitation: string | undefined
}

type Finishing = Visit<typeof contract.finishCompanySignIn>

export const beginCompanySignIn = door(contract.beginCompanySignIn, async (means, visit) => {
  const { purpose, invitation, current_password } = visit.body
  const company = companyOf(means)
  const user_id = purpose === 'link' ? (await confirmed(means, visit, current_password)).id : null
  const { url, kept } = await company.begin()
  const payload = JSON.stringify({ kept, invitation } satisfies Begun)
  const step = { kind: 'company', user_id, payload, lastsMs: LASTS_MS } as const
  const value = await means.storage.write(NOBODY, (tx) => beginStep(tx, step))
  return { reply: { redirect_to: url }, cookies: [stepSet(means.baseUrl, 'company', value)] }
})

/** The browser that has begun comes back: once for each beginning, whatever comes of it. */
export const finishCompanySignIn = door(contract.finishCompanySignIn, async (means, visit) => {
  const company = companyOf(means)
  const { baseUrl, storage } = means
  const value = stepIn(baseUrl, 'company', visit.cookie)
  const step = await storage.write(NOBODY, (tx) => takeStep(tx, 'company', value))
  if (!step) throw signInOver()
  const { kept, invitation } = JSON.parse(step.payload) as Begun
  const claims = await company.finish(kept, visit.body)
  if (step.user_id !== null) return linkOwn(means, visit, step.user_id, claims)
  const opened = await welcome(means, visit, await arrive(means, visit, claims, invitation))
  return { ...opened, cookies: [...opened.cookies, stepCleared(baseUrl, 'company')] }
})

/** The person who is signed in says who that is at the provider. */
async function linkOwn(means: Means, { actor }: Finishing, user_id: string, claims: Claims) {
  if (actor?.user_id !== user_id) throw signInOver()
  const operation_id = await means.storage.write(personally(user_id), async (tx) => {
    const isMine = await link(tx, { ...claims, user_id })
    if (!isMine && (await linkedTo(tx, claims)) !== user_id) {
      throw conflict('company_linked', 'Another account is linked to this person already.')
    }
    return tx.operation_id
  })
  const session = { id: actor.credential_id ?? '', user_id, workspace_id: actor.workspace_id }
  return { reply: await showSession(means, session), operation_id }
}

/** By their link, else by an address that both sides have verified, else as somebody new. */
async function arrive(
  means: Means,
  visit: Finishing,
  claims: Claims,
  invitation: string | undefined,
): Promise<Entered | Held> {
  const { email } = claims
  const invited = invitation === undefined ? undefined : await invitationOf(means, invitation)
  const [linked, known] = await means.storage.read(NOBODY, async (tx) => [
    await linkedTo(tx, claims),
    email === null ? undefined : await tx.one(personByEmail, { email }),
  ])
  const id = linked ?? (known?.verified_email === email ? known?.id : undefined)
  if (id === undefined && known) throw notLinked()
  const prepare = async (tx: WriteTx) => {
    if (id !== undefined && linked === undefined) await linkFound(tx, claims, id)
    if (linked !== undefined) await noteUse(tx, claims)
  }
  if (id !== undefined) {
    const person = await means.storage.read(NOBODY, (tx) => tx.one(personById, { id }))
    if (invited && invitation !== undefined && invited.email === person?.email) {
      const how = { id, name: person.name, by: 'company' } as const
      return joinInvited(means, visit, { invited, token: invitation, person: how }, prepare)
    }
    return means.storage.write(personally(id), async (tx) => {
      await prepare(tx)
      const { last_workspace_id = null } = (await tx.one(personById, { id })) ?? {}
      return enter(tx, means, visit, { id, last_workspace_id, by: 'company' })
    })
  }
  if (email === null) throw unverified()
  const person = {
    id: newId('usr', means.storage.clock.now()),
    name: claims.name,
    by: 'company',
  } as const
  const begin = (tx: WriteTx) => beginAccount(tx, { ...claims, email }, person.id, visit)
  if (invited && invitation !== undefined && invited.email === email) {
    return joinInvited(means, visit, { invited, token: invitation, person }, begin)
  }
  return comeAsNew(means, visit, person, begin)
}

async function comeAsNew(
  means: Means,
  visit: Finishing,
  { id, name, by }: { id: string; name: string; by: 'company' },
  begin: (tx: WriteTx) => Promise<void>,
): Promise<Entered | Held> {
  const { newcomers } = companyOf(means)
  if (!newcomers) throw signupDisabled()
  const { workspace_id, role } = newcomers
  const actor = { ...personally(id, workspace_id), name, role }
  return means.storage.write(actor, async (tx) => {
    await begin(tx)
    await addMember(tx, { user_id: id, name, role })
    await advanceGeneration(tx)
    return enter(tx, means, visit, { id, workspace_id, by })
  })
}

/** An account without a password, whose address the provider has verified. */
async function beginAccount(
  tx: WriteTx,
  claims: Claims & { email: string },
  id: string,
  { body }: Finishing,
): Promise<void> {
  const { email, name } = claims
  const account = { id, email, name, timezone: body.timezone ?? 'UTC' }
  // Somebody was quicker: whoever that is has to show it.
  if ((await ensureAccount(tx, account, NO_PASSWORD)).user_id !== id) throw notLinked()
  await noteVerified(tx, id)
  await linkFound(tx, claims, id)
}

/** Of two that come at once for one person the second begins anew, and finds what the first has made. */
async function linkFound(tx: WriteTx, claims: Claims, user_id: string): Promise<void> {
  if (!(await link(tx, { ...claims, user_id }))) throw signInOver()
}

export const endCompanyLink = door(contract.endCompanyLink, async (means, { actor }) => {
  const user_id = actor.user_id ?? ''
  const operation_id = await means.storage.write(personally(user_id), async (tx) => {
    const person = await tx.one(personById, { id: user_id })
    if (person?.password_hash === null) {
      throw conflict('last_way_in', 'Without a password this is how you sign in: set one first.')
    }
    await unlink(tx, user_id)
    return tx.operation_id
  })
  return { reply: undefined, operation_id }
})

function companyOf({ company }: Means): Company {
  if (!company) throw notFound()
  return company
}

const notLinked = () =>
  conflict(
    'account_not_linked',
    'There is an account with this address: sign in with its password, and link it in your profile.',
  )

const unverified = () =>
  new Refusal(
    403,
    'company_email_refused',
    'The company does not vouch for an e-mail address of yours.',
  )
