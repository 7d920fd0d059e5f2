import type { SettingReader } from '#core/setting-reader.ts'

/** Who gets an account, and which applications may act for people. */
export interface AccountSettings {
  /** Whether the very first start creates a demo workspace with its people. */
  demo: boolean
  /** Who may sign up after the first account. */
  signup: 'open' | 'invite'
  /** Whether the first account needs the setup token, because others may reach the sign-up. */
  requiresSetupToken: boolean
  /** Whether applications may register themselves (RFC 7591). */
  oauthRegistration: boolean
}

/** Reads who gets an account. `loopback`: only this machine reaches the sign-up. */
export function readAccountSettings(
  { flag, oneOf }: SettingReader,
  loopback: boolean,
): AccountSettings {
  const signup = oneOf('DOCKET_SIGNUP', ['open', 'invite'], 'invite')
  return {
    demo: flag('DOCKET_DEMO', true),
    signup,
    // Where anybody may sign up, the first account has no more rights than the second.
    requiresSetupToken: !loopback && signup === 'invite',
    oauthRegistration: flag('DOCKET_OAUTH_REGISTRATION', false),
  }
}
