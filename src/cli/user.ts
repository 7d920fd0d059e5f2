import { notFound } from '#core/refusal.ts'
import { accountByEmail, setPassword } from '#identity/account.ts'
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

export const userCommands = [resetPassword]
