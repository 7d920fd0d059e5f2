import { clearSecondFactors } from '#auth/second-factor/second-factor.ts'
import { createSignInStep } from '#auth/sign-in/sign-in-steps.ts'
import { findAccountByEmail, setPassword } from '#auth/users/accounts.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { notFound, validationFailed } from '#core/api-error.ts'
import { usersAfter } from '#db/installation/record-lists.ts'
import { erasePerson } from '#resources/offboarding/handover.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { fieldError } from '#wire/field-error.ts'
import { Flag, Optional, SingleLineText } from '#wire/schema-builders.ts'
import {
  defineCommand,
  defineDestructiveCommand,
  EmailOption,
  PasswordOption,
  preparePasswordOption,
} from '../arguments.ts'
import { type CliInstallation, systemActor } from '../installation.ts'
import { readNewPassword } from '../new-password.ts'
import { readPages } from '../output.ts'

const setPasswordCommand = defineCommand({
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

const list = defineCommand({
  access: 'read',
  name: 'user list',
  summary: 'List all accounts with the number of their workspaces',
  options: {},
  async run({ storage, installationActor }, _options, printPages) {
    const store = await storage()
    await printPages(
      readPages((page) => store.read(installationActor, (tx) => tx.all(usersAfter, page))),
    )
    return undefined
  },
})

const resetPassword = defineDestructiveCommand({
  name: 'user reset-password',
  summary: 'Reset the password of an account and end its sessions',
  options: { email: EmailOption, password: Optional(PasswordOption) },
  async describeConsequence(installation, { email, password: newPassword }) {
    const { name } = await requireAccount(installation, email)
    const password = newPassword === undefined ? 'a generated password' : 'the given password'
    return `This gives ${name} (${email}) ${password}, and ends all their sessions.`
  },
  async run({ writeInstallationAuth }, { email, password: newPassword }) {
    const { password, hash } = await preparePasswordOption(newPassword, 'password')
    const user_id = await writeInstallationAuth(async (tx) => {
      const account = await findAccountByEmail(tx, email)
      if (!account) throw notFound()
      await setPassword(tx, account.id, hash)
      await notifyOfSecurityChange(tx, account.id, 'password_changed')
      return account.id
    })
    return { user_id, password }
  },
})

const clearSecondFactor = defineDestructiveCommand({
  name: 'user clear-second-factor',
  summary: 'Remove the second factor of an account and end its sessions',
  options: { email: EmailOption },
  async describeConsequence(installation, { email }) {
    const { name } = await requireAccount(installation, email)
    return `This removes the second factor of ${name} (${email}), so that the password alone signs in, and ends all their sessions.`
  },
  async run({ writeInstallationAuth }, { email }) {
    return writeInstallationAuth(async (tx) => {
      const account = await findAccountByEmail(tx, email)
      if (!account) throw notFound()
      const was_enabled = await clearSecondFactors(tx, account.id)
      if (was_enabled) await notifyOfSecurityChange(tx, account.id, 'second_factor_removed')
      return { user_id: account.id, was_enabled }
    })
  },
})

const LINK_TTL_MS = 15 * 60 * 1000

const signInLink = defineCommand({
  name: 'user sign-in-link',
  summary: 'Print a sign-in link that works once, within 15 minutes',
  options: { email: EmailOption },
  async run({ writeInstallationAuth, config }, { email }) {
    return writeInstallationAuth(async (tx) => {
      const account = await findAccountByEmail(tx, email)
      if (!account) throw notFound()
      const step = {
        kind: 'link',
        user_id: account.id,
        payload: '{}',
        lastsMs: LINK_TTL_MS,
      } as const
      const value = await createSignInStep(tx, step)
      tx.audit('sign_in_link.created', account.id, {}, INSTALLATION_AUDIT_LOG)
      return { user_id: account.id, sign_in_url: `${config.baseUrl}/sign-in#link=${value}` }
    })
  },
})

const erase = defineCommand({
  name: 'user erase',
  summary: 'Erase a person: end all memberships and remove name and email address from stored data',
  options: {
    email: EmailOption,
    confirm: SingleLineText(1, 64, {
      description: 'The id of the account, to confirm',
    }),
  },
  async run({ storage, writeInstallationAuth }, { email, confirm }) {
    const store = await storage()
    const account = await requireAccount({ storage }, email)
    if (account.id !== confirm) {
      throw validationFailed(
        fieldError('confirm', 'invalid_value', `must be ${account.id}, the id of the account`),
      )
    }
    await erasePerson(store, account.id, { actorIn: systemActor })
    // An empty write waits until every process has noticed the change.
    await writeInstallationAuth(async () => undefined)
    return { user_id: account.id, erased: true }
  },
})

export const userCommands = [
  list,
  resetPassword,
  setPasswordCommand,
  clearSecondFactor,
  signInLink,
  erase,
]

async function requireAccount({ storage }: Pick<CliInstallation, 'storage'>, email: string) {
  const store = await storage()
  const account = await store.read(ANONYMOUS_ACTOR, (tx) => findAccountByEmail(tx, email))
  if (!account) throw notFound()
  return account
}
