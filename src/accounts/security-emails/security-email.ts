import { listPasskeys } from '#auth/passkeys/passkeys.ts'
import { computeIdleCutoff } from '#auth/sessions/sessions.ts'
import { findSsoLinkOfUser } from '#auth/sso-links/sso-links.ts'
import { SECURITY_CHANGES, type SecurityChange } from '#auth/users/email-confirmation.ts'
import { countUserAccess } from '#auth/users/user-access.ts'
import type { EmailTemplate } from '#core/mailer.ts'
import type { ReadTx } from '#core/transaction.ts'
import { pushDevicesOfUser } from '#db/notifications/push-devices.ts'
import { removedEmailOf } from '#lib/anonymize.ts'
import { personById } from '../store.ts'

const SENTENCES: Readonly<Record<SecurityChange, string>> = {
  password_changed:
    'The password of your Docket account was changed. All other sessions have ended.',
  password_reset:
    'The password of your Docket account was reset by a link. All other sessions have ended.',
  mailbox_proved:
    'For the first time somebody has shown that this mailbox is theirs, by a link or by single sign-on. The former password, sessions, API keys, authorized applications, passkeys, webhooks and invitations of your Docket account have ended, because somebody else could have set them up.',
  email_change_requested:
    'Another email address was entered for your Docket account. This one stays in force until the new one is confirmed.',
  email_changed: 'Your Docket account now has another email address. This one no longer signs in.',
  passkey_added: 'A passkey was added to your Docket account.',
  passkey_removed: 'A passkey was removed from your Docket account.',
  company_linked: 'Single sign-on was linked to your Docket account.',
  company_unlinked: 'Single sign-on was unlinked from your Docket account.',
  second_factor_enabled: 'Two-factor authentication was turned on for your Docket account.',
  second_factor_disabled: 'Two-factor authentication was turned off for your Docket account.',
  second_factor_removed:
    'The second factor of your Docket account was removed by an operator. All sessions have ended.',
  recovery_codes_renewed: 'The recovery codes of your Docket account were replaced.',
  api_key_created: 'An API key was created for your Docket account.',
  application_authorized: 'An application was authorized to act for your Docket account.',
  push_device_added: 'Notifications of your Docket account were turned on in a browser.',
  refresh_token_shared:
    'An application that you have authorized was signed out of your Docket account: a token of it was used again and again from different networks, as if somebody had copied it. If the application is yours, sign in with it again.',
  second_factor_guessed:
    'Ten wrong codes in a row were entered as the second factor of your Docket account. Whoever entered them has your password or another way past the first step. No code was right.',
}

/**
 * The email that tells a user of a change of their sign-in methods. It lists what else can act for
 * them, because that outlives a change of password. It has no text that a person has chosen, such as
 * a name: nobody has confirmed the address, and it may be that of a stranger. The secret of the job is
 * the address, if it is not that of the account.
 */
export const securityEmail = (baseUrl: string): EmailTemplate => ({
  kind: 'security_email',
  maxRunning: 2,
  async compose(tx, { payload, secret }) {
    const { user_id: id = '', at = '' } = payload
    const change = SECURITY_CHANGES.find((name) => name === payload.change)
    const person = await tx.one(personById, { id })
    if (!change || !person || person.email === removedEmailOf(id)) return undefined
    // The old address ends with the job, and the new one may be somebody else's.
    if (change === 'email_changed' && secret === undefined) return undefined
    return {
      to: secret ?? person.email,
      subject:
        change === 'second_factor_guessed'
          ? 'Somebody is trying to sign in to your Docket account'
          : 'The security of your Docket account has changed',
      text: [
        'Hello,',
        SENTENCES[change],
        `When: ${at}.`,
        ...(await describeAccess(tx, id)),
        `If this was not you, reset your password at ${baseUrl}/forgot and choose there to end all other access.`,
      ].join('\n\n'),
    }
  },
})

/** What can act for the user or sign in beside the password; nothing if there is nothing. */
async function describeAccess(tx: ReadTx, user_id: string): Promise<string[]> {
  const { api_keys, grants } = await countUserAccess(tx, user_id)
  const devices = await tx.all(pushDevicesOfUser, {
    ...{ user_id, limit: MAX_COUNTED_DEVICES },
    ...{ now: tx.now, used_since: computeIdleCutoff(tx.nowMs) },
  })
  const parts = [
    count(api_keys, 'API key', 'API keys'),
    count(grants, 'authorized application', 'authorized applications'),
    count((await listPasskeys(tx, user_id)).length, 'passkey', 'passkeys'),
    count(devices.length, 'browser with notifications', 'browsers with notifications'),
    (await findSsoLinkOfUser(tx, user_id)) ? 'single sign-on' : '',
  ].filter((part) => part !== '')
  if (parts.length === 0) return []
  return [
    `Besides your password, these have access: ${parts.join(', ')}. Review them in the settings, under Profile and Integrations.`,
  ]
}

const MAX_COUNTED_DEVICES = 200

const count = (n: number, one: string, many: string): string =>
  n === 0 ? '' : `${n} ${n === 1 ? one : many}`
