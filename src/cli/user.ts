import { notFound } from '#core/refusal.ts'
import { accountByEmail, setPassword } from '#identity/account.ts'
import { clearFactor } from '#identity/second-factor.ts'
import { beginStep } from '#identity/steps.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { Optional } from '#wire/schema.ts'
import { command } from './command.ts'
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

export const userCommands = [resetPassword, clearSecondFactor, signInLink]
