import { NOBODY } from '#core/actor.ts'
import { invalid, notFound } from '#core/refusal.ts'
import { accountByEmail, setPassword } from '#identity/account.ts'
import { erasePerson } from '#resources/members/erasing.ts'
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

export const userCommands = [resetPassword, erase]
