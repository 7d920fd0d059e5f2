/** The pages of who is not signed in, or not in a workspace, or no longer: they are loaded together. */

export { Consent } from '../consent/consent.tsx'
export { Company } from './company.tsx'
export { Deleted } from './deleted.tsx'
export { Demanded } from './demanded.tsx'
export { Forgot } from './forgot.tsx'
export { Invite } from './invite.tsx'
export { NoWorkspace } from './no-workspace.tsx'
export { Reset } from './reset.tsx'
export { Setup } from './setup.tsx'
export { SignIn } from './sign-in.tsx'
export { SignInAgain } from './sign-in-again.tsx'
export { SignUp } from './sign-up.tsx'
