import { NOBODY } from '#core/actor.ts'
import { invalid, notFound } from '#core/refusal.ts'
import { accountByEmail, setPassword } from '#identity/account.ts'
import { clearFactor } from '#identity/second-factor.ts'
import { beginStep } from '#identity/steps.ts'
import { erasePerson } from '#resources/members/erasing.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { fault } from '#wire/fault.ts'
import { Line, Optional } from '#wire/schema.ts'
import { command } from './command.ts'
import { systemIn } from './installation.ts'
import { Address, Password, passwordOf } from './options.ts'

const resetPassword = command({
  name: 'user reset-password',
  summary: 'Give an account another password; its sessions end',
  options: { email: Address, password: Optional(Password) },
  async run({ bindingAll }, { email, password: given }) {
    const { password, hash } = await passwordOf(given, 'password')
    const user_id = await bindingAll(async (tx) => {
      const account = await accountByEmail(tx, email)
      if (!account) throw notFound()
      await setPassword(tx, account.id, hash)
      return account.id
    })
    return { user_id, password }
  },
})

const clearSecondFactor = command({
  name: 'user clear-second-factor',
  summary: 'Take away the second factor that a person has lost; its sessions end',
  options: { email: Address },
  async run({ bindingAll }, { email }) {
    return bindingAll(async (tx) => {
      const account = await accountByEmail(tx, email)
      if (!account) throw notFound()
      const was_enabled = await clearFactor(tx, account.id)
      return { user_id: account.id, was_enabled }
    })
  },
})

const LINK_LASTS_MS = 15 * 60 * 1000

const signInLink = command({
  name: 'user sign-in-link',
  summary: 'Print a link that signs a person in, once and within 15 minutes',
  options: { email: Address },
  async run({ bindingAll, config }, { email }) {
    return bindingAll(async (tx) => {
      const account = await accountByEmail(tx, email)
      if (!account) throw notFound()
      const step = {
        kind: 'link',
        user_id: account.id,
        payload: '{}',
        lastsMs: LINK_LASTS_MS,
      } as const
      const value = await beginStep(tx, step)
      tx.audit('sign_in_link.created', account.id, {}, INSTALLATION)
      return { user_id: account.id, sign_in_url: `${config.baseUrl}/sign-in#link=${value}` }
    })
  },
})

const erase = command({
  name: 'user erase',
  summary: 'End all memberships of a person, and take name and address out of whatever is stored',
  options: {
    email: Address,
    confirm: Line(1, 64, { description: 'The id of the account again, as `member` lists it' }),
  },
  async run({ storage, bindingAll }, { email, confirm }) {
    const store = await storage()
    const account = await store.read(NOBODY, (tx) => accountByEmail(tx, email))
    if (!account) throw notFound()
    if (account.id !== confirm) {
      throw invalid(
        fault('confirm', 'invalid_value', `must be ${account.id}, the id of the account`),
      )
    }
    await erasePerson(store, account.id, systemIn)
    // Nobody returns before every process has seen it.
    await bindingAll(async () => undefined)
    return { user_id: account.id, erased: true }
  },
})

export const userCommands = [resetPassword, clearSecondFactor, signInLink, erase]
