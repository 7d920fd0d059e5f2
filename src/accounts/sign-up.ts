import { NOBODY, personally } from '#core/actor.ts'
import { door, type Means } from '#core/door.ts'
import { Refusal } from '#core/refusal.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { ensureAccount, type PreparedPassword, preparePassword } from '#identity/account.ts'
import { attempt, ofAddress } from '#identity/attempts.ts'
import { pendingDemo } from '#identity/demo.ts'
import { emailTaken } from '#identity/profile.ts'
import { createWorkspace } from '#identity/workspace.ts'
import { newId } from '#lib/id.ts'
import { join } from '#resources/members/membership.ts'
import type { Input } from '#wire/endpoint.ts'
import * as contract from './contract.ts'
import { type Entered, enter, type Held, welcome } from './enter.ts'
import { refuseOtherWays } from './only.ts'
import { anyAccount, noteFirstAccount } from './store.ts'
import { siteOf } from './webauthn.ts'

export const getSetup = door(contract.getSetup, async (means) => {
  const reply = await means.storage.read(NOBODY, async (tx) => {
    const isSomebodys = await hasAccount(tx)
    const isDemo = (await pendingDemo(tx)) !== undefined
    const { company } = means
    const only = company?.only === true
    const signup = only ? 'invite' : isSomebodys ? means.signup : 'open'
    return {
      ...{ signup, initialized: isSomebodys && !isDemo },
      ...{ company: company?.name ?? null, password: !only, passkeys: siteOf(means) !== undefined },
    }
  })
  return { reply }
})

export const signUp = door(
  contract.signUp,
  async (means, visit) => {
    const { body, address } = visit
    let entered: Entered | Held | undefined
    // Whoever tries many addresses finds out which have an account: so that is counted.
    await attempt(means.storage, [ofAddress(address)], async () => {
      const prepared = await preparePassword(body.password)
      const now = means.storage.clock.now()
      const [workspace_id, user_id] = [newId('wsp', now), newId('usr', now)]
      entered = await means.storage.write(personally(user_id, workspace_id), async (tx) => {
        if (means.signup === 'invite') await refuseSecond(tx)
        const id = await begin(tx, means, body, prepared)
        return id === undefined
          ? undefined
          : enter(tx, means, visit, { id, workspace_id, by: 'sign_up' })
      })
      return entered !== undefined
    })
    if (!entered) throw emailTaken()
    return welcome(means, visit, entered)
  },
  {
    async before({ storage, signup, company }) {
      refuseOtherWays({ company })
      if (signup === 'open') return
      if (await storage.read(NOBODY, hasAccount)) throw signupDisabled()
    },
  },
)

/** Makes the account with its own workspace, that of the transaction; undefined if it is there. */
async function begin(
  tx: WriteTx,
  { plan }: Means,
  { email, name, workspace_name, timezone = 'UTC', locale }: Input<typeof contract.signUp>['body'],
  prepared: PreparedPassword,
): Promise<string | undefined> {
  const id = tx.actor.user_id ?? newId('usr', tx.instant)
  const account = await ensureAccount(tx, { id, email, name, timezone, locale }, prepared)
  if (account.password === null) return undefined
  await createWorkspace(tx, { name: workspace_name, plan, timezone })
  await join(tx, { user_id: account.user_id, name, role: 'owner' })
  return account.user_id
}

const hasAccount = async (tx: ReadTx): Promise<boolean> =>
  (await tx.one(anyAccount, {})) !== undefined

/** Of two who would both be the first the second is refused, in whichever process. */
async function refuseSecond(tx: WriteTx): Promise<void> {
  const isFirst = (await tx.run(noteFirstAccount, { at: tx.now })) === 1
  if (!isFirst || (await hasAccount(tx))) throw signupDisabled()
}

export const signupDisabled = () =>
  new Refusal(403, 'signup_disabled', 'Only invited persons can sign up here.')
