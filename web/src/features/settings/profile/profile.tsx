import { m } from '../../../messages/settings.ts'
import { Head } from '../head.tsx'
import { Devices } from './devices.tsx'
import { Erase } from './erase.tsx'
import { Person } from './person.tsx'
import { SignInData } from './sign-in-data.tsx'
import { ThisBrowser } from './this-browser.tsx'

/** The person: how they are called, how they sign in, how Docket looks here, where they are signed in. */
export default function Profile() {
  return (
    <>
      <Head title={m.sections.profile}>{m.profileWhy}</Head>
      <div className="scroll">
        <Person />
        <SignInData />
        <ThisBrowser />
        <Devices />
        <Erase />
      </div>
    </>
  )
}
