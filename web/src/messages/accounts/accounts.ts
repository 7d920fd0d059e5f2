import { defineMessages } from '../define-messages.ts'

/** Texts of sign-in, sign-up, setup, invitations and password resets. */
export const accountMessages = defineMessages('accounts', {
  docket: 'Docket',
  signIn: 'Sign in',
  againWhy: 'Sign in again to continue.',
  email: 'Email',
  password: 'Password',
  newPassword: 'Password',
  passwordHint: 'At least 10 characters. A sentence works well.',
  name: 'Name',
  workspaceName: 'Workspace name',
  timezone: 'Time zone',
  forgotLink: 'Forgot your password?',
  createLink: 'Create an account',
  wrong: 'Incorrect email or password.',
  throttled: (at: string) => `Too many attempts. Try again at ${at}.`,
  footAbout: 'What is Docket?',
  footDocs: 'API documentation',

  ended: 'Your session has ended',
  endedWhy:
    'Sign in to continue. What you wrote is still here, and unsent changes are sent once you are back.',
  somebodyElse: 'Sign in with another account',

  signUp: 'Create your account',
  firstOwner: 'Set up Docket',
  firstOwnerWhy:
    'This installation has no owner yet. The account you create here owns its first workspace.',
  setupToken: 'Setup token',
  setupTokenHint:
    'Printed when Docket first started. The command docket setup-token prints it again.',
  signUpDo: 'Create account',
  closed: 'Sign-up is by invitation only',
  closedWhy: 'Ask an owner or admin of the workspace to invite you.',
  haveAccount: 'Sign in instead',

  setup: 'Set up your account',
  setupWhy:
    'You signed in with the credentials printed on first start. Choose your own email and password to replace them.',
  demo: 'Demo workspace',
  demoKeep: 'Keep it to explore',
  demoRemove: 'Delete it and start empty',
  setupDo: 'Save and continue',
  setupOver: 'This account is already set up',
  setupOverWhy: 'You can change your name, email and password in your profile.',
  toWork: 'Go to My work',

  forgot: 'Forgot your password?',
  forgotWhy:
    'Enter your email to get a link for setting a new password. It works once and expires after 30 minutes.',
  forgotDo: 'Send link',
  sent: 'Check your email',
  sentWhy: (email: string) =>
    `If there is an account for ${email}, you will get a link shortly. It works once and expires after 30 minutes.`,
  noMail: 'No email? Ask your administrator to run docket user reset-password.',
  backToSignIn: 'Back to sign-in',

  reset: 'Set a new password',
  resetWhy: 'This signs you in here and signs you out everywhere else.',
  resetDo: 'Set password',
  revokeAccess: 'End all other access to my account, too',
  revokeAccessWhy:
    'API keys, authorized applications, passkeys and single sign-on. Choose this if somebody else may have had access.',
  expired: 'This link has expired',
  confirmEmail: 'Confirm your email address',
  confirmEmailWhy: 'Only confirm what you entered in Docket yourself.',
  emailConfirmed: 'Email address confirmed',
  confirmExpiredWhy: 'Links work once, for seven days, in the account that asked for them.',
  resetExpiredWhy: 'Links work once, for 30 minutes.',
  anotherLink: 'Send a new link',

  inviteTitle: (workspace: string) => `Join ${workspace}`,
  inviteWho: (who: string, role: string, email: string) =>
    `${who} invited ${email} to join as ${role}.`,
  inviteNew:
    'Enter the password of your account with this email. If you have none yet, choose a name and a password.',
  inviteNameHint: 'For a new account only.',
  invitePasswordHint: 'For a new account at least 10 characters.',
  inviteHere: (name: string) => `You are signed in as ${name}.`,
  inviteDo: 'Join',
  inviteExpiredWhy:
    'It was used, revoked or replaced, or it is more than seven days old. Ask for a new one.',
  wrongAccount: 'You are signed in with another account',
  wrongAccountWhy: (here: string, invited: string) =>
    `You are signed in as ${here}, but the invitation is for ${invited}.`,
  switchAccount: (invited: string) => `Continue as ${invited}`,
  stayAs: (here: string) => `Stay signed in as ${here}`,
  wrongPassword: 'Incorrect password.',
  deletedTitle: (name: string) => `${name} was deleted`,
  deletedWhy: (at: string) =>
    `It will be permanently erased on ${at}, with everything in it. Until then, an owner can restore it.`,
  restore: 'Restore workspace',
  goTo: (name: string) => `Go to ${name}`,
  signOutHere: 'Sign out',

  noWorkspace: 'You are not in a workspace',
  noWorkspaceBegin: 'Create one, or ask an owner or admin to invite you to theirs.',
  beginWorkspace: 'Create workspace',
  newWorkspace: 'New workspace',
  newWorkspaceWhy: 'It has its own people and projects. You become its owner.',
})
