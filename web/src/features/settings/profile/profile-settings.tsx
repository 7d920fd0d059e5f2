import './profile.css'
import { useQuery } from '@tanstack/react-query'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { setupQuery } from '../../accounts/index.ts'
import { SettingsHeader } from '../settings-header.tsx'
import { AccountAccessSection } from './account-access.tsx'
import { BrowserPreferences } from './browser-preferences.tsx'
import { Devices } from './devices.tsx'
import { EraseAccountSection } from './erase-account-section.tsx'
import { NotificationSettingsSection } from './notification-settings-section.tsx'
import { Passkeys } from './passkeys.tsx'
import { PersonalDetails } from './personal-details.tsx'
import { SecondFactorSettings } from './second-factor-settings.tsx'
import { SignInCredentials } from './sign-in-credentials.tsx'
import { signInMethodsQuery } from './sign-in-methods-query.ts'
import { SsoLink } from './sso-link.tsx'

/** The personal settings: name, ways to sign in, notifications, appearance and sessions. */
export default function ProfileSettings() {
  const { data: setup } = useQuery(setupQuery)
  return (
    <>
      <SettingsHeader title={settingsMessages.sections.profile}>
        {settingsMessages.profileWhy}
      </SettingsHeader>
      <div className="scroll">
        <PersonalDetails />
        {setup?.password !== false && <SignInCredentials />}
        <SignInMethods />
        <AccountAccessSection />
        <NotificationSettingsSection />
        <BrowserPreferences />
        <Devices />
        <EraseAccountSection />
      </div>
    </>
  )
}

/**
 * The ways to sign in besides the password. They stay on the screen when a later read fails: they
 * may show recovery codes, which the server never returns again.
 */
function SignInMethods() {
  const { data: methods, error, refetch } = useQuery(signInMethodsQuery)
  const reload = () => void refetch()
  return (
    <>
      {error && <ErrorMessage error={error} onRetry={reload} />}
      {!methods && !error && <Skeleton rows={2} />}
      {methods && (
        <>
          <SecondFactorSettings methods={methods} onChanged={reload} />
          <Passkeys methods={methods} onChanged={reload} />
          <SsoLink methods={methods} onChanged={reload} />
        </>
      )}
    </>
  )
}
