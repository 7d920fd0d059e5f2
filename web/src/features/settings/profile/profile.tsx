import { useQuery } from '@tanstack/react-query'
import { m } from '../../../messages/settings.ts'
import { setupQuery } from '../../accounts/setup-query.ts'
import { Head } from '../head.tsx'
import { Devices } from './devices.tsx'
import { Erase } from './erase.tsx'
import { SignInMeans } from './means.tsx'
import { Notifications } from './notifications.tsx'
import { Person } from './person.tsx'
import { SignInData } from './sign-in-data.tsx'
import { ThisBrowser } from './this-browser.tsx'

/** The person: how they are called, how they sign in, what they are told, how Docket looks here, where they are signed in. */
export default function Profile() {
  const { data: setup } = useQuery(setupQuery)
  return (
    <>
      <Head title={m.sections.profile}>{m.profileWhy}</Head>
      <div className="scroll">
        <Person />
        {setup?.password !== false && <SignInData />}
        <SignInMeans />
        <Notifications />
        <ThisBrowser />
        <Devices />
        <Erase />
      </div>
    </>
  )
}
