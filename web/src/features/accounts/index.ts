/** Signing in and up, and what other features show of it. The pages are in accounts.ts. */

export { AuthHeading, AuthLayout, AuthMessage } from './auth-layout.tsx'
export { confirmSwitchAccount, fetchCurrentSession } from './current-session.ts'
export { OneTimeCodeField } from './second-factor/second-factor-form.tsx'
export { setupQuery } from './setup/setup-query.ts'
export { startSsoSignIn } from './sign-in/sso-sign-in-button.tsx'
export { getDeviceTimeZone, getTimeZoneOptions } from './time-zones.ts'
export { useAsyncAction } from './use-async-action.tsx'
