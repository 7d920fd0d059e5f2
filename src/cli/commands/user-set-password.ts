import { findAccountByEmail, setPassword } from '#auth/users/accounts.ts'
import { notifyOfSecurityChange } from '#auth/users/security-notices.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import { Flag, Optional } from '#wire/schema-builders.ts'
import { defineCommand } from '../command.ts'
import { readNewPassword } from '../new-password.ts'
import { EmailOption, preparePasswordOption } from '../options.ts'

export const setPasswordCommand = defineCommand({
  name: 'user set-password',
  summary: 'Set the password of an account, asked for in the terminal, and end its sessions',
  options: {
    email: EmailOption,
    stdin: Optional(Flag({ description: 'Read the password from standard input' })),
  },
  positionals: ['email'],
  async run({ storage, writeInstallationAuth }, { email, stdin = false }) {
    const store = await storage()
    // A mistyped address is reported before a password is asked for.
    if (!(await store.read(ANONYMOUS_ACTOR, (tx) => findAccountByEmail(tx, email)))) {
      throw notFound()
    }
    const { hash } = await preparePasswordOption(await readNewPassword(stdin), 'password')
    return writeInstallationAuth(async (tx) => {
      const account = await findAccountByEmail(tx, email)
      if (!account) throw notFound()
      await setPassword(tx, account.id, hash)
      await notifyOfSecurityChange(tx, account.id, 'password_changed')
      return { user_id: account.id }
    })
  },
})
