/** The pages outside of a workspace, in one chunk: people open several of them in a row. */

export { Consent } from '../consent/index.ts'
export { NoWorkspace } from './no-workspace/no-workspace.tsx'
export { WorkspaceDeleted } from './no-workspace/workspace-deleted.tsx'
export { SecondFactorRequired } from './second-factor/second-factor-required.tsx'
export { Setup } from './setup/setup.tsx'
export { ForgotPassword } from './sign-in/forgot-password.tsx'
export { ResetPassword } from './sign-in/reset-password.tsx'
export { SessionEndedDialog } from './sign-in/session-ended-dialog.tsx'
export { SignIn } from './sign-in/sign-in.tsx'
export { SsoCallback } from './sign-in/sso-callback.tsx'
export { AcceptInvitation } from './sign-up/accept-invitation.tsx'
export { SignUp } from './sign-up/sign-up.tsx'
