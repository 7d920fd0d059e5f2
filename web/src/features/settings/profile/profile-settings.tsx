import './profile.css'
import { useQuery } from '@tanstack/react-query'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { setupQuery } from '../../accounts/index.ts'
import { SettingsHeader } from '../settings-header.tsx'
import { AccountAccessSection } from './account-access.tsx'
import { BrowserPreferences } from './browser-preferences.tsx'
import { Devices } from './devices.tsx'
import { EraseAccountSection } from './erase-account-section.tsx'
import { NotificationSettingsSection } from './notification-settings-section.tsx'
import { PersonalDetails } from './personal-details.tsx'
import { SignInCredentials } from './sign-in-credentials.tsx'
import { SignInMethods } from './sign-in-methods.tsx'

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
