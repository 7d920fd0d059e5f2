import { say } from './say.ts'

/** Texts of signing in and of what leads there. */
export const m = say('accounts', {
  docket: 'Docket',
  signIn: 'Sign in',
  againWhy: 'The application asks that you sign in anew before you answer it.',
  email: 'Email',
  password: 'Password',
  newPassword: 'Password',
  passwordHint: 'At least 10 characters; a sentence is fine.',
  name: 'Name',
  workspaceName: 'Workspace',
  timezone: 'Time zone',
  forgotLink: 'Forgot the password?',
  createLink: 'Create an account',
  wrong: 'Email or password is wrong.',
  throttled: (at: string) => `Too many attempts. Try again at ${at}.`,
  footAbout: 'What is Docket?',
  footDocs: 'API documentation',

  ended: 'Your session has ended',
  endedWhy: 'Sign in to go on. What you wrote is still here, and what waits is sent then.',
  somebodyElse: 'Sign in as somebody else',

  signUp: 'Create an account',
  firstOwner: 'Set up Docket',
  firstOwnerWhy:
    'Nobody has made this installation theirs yet. The account made here owns its workspace.',
  signUpDo: 'Create account',
  closed: 'Accounts are by invitation',
  closedWhy: 'Ask an owner or admin of the workspace to invite you.',
  haveAccount: 'Sign in instead',

  setup: 'Make it yours',
  setupWhy:
    'You are in with the sign-in that was printed at the first start. Replace it by your own; the printed one ends then.',
  demo: 'Demo',
  demoKeep: 'Keep the demo workspace to look around in',
  demoRemove: 'Remove it and start empty',
  setupDo: 'Save and begin',
  setupOver: 'This is set up already',
  setupOverWhy: 'Name, email and password can be changed in your profile.',
  toWork: 'To my work',

  forgot: 'Forgot the password?',
  forgotWhy: 'A link that sets a new one is sent to the address. It works once, for 30 minutes.',
  forgotDo: 'Send the link',
  sent: 'Look into your mailbox',
  sentWhy: (email: string) =>
    `If there is an account for ${email}, a link is on its way. It works once, for 30 minutes.`,
  noMail:
    'No mail comes? Whoever runs this installation can print a new password with docket user reset-password.',
  backToSignIn: 'Back to signing in',

  reset: 'Set a new password',
  resetWhy: 'It signs you in here and ends your sessions everywhere else.',
  resetDo: 'Set password',
  expired: 'This link does not work any more',
  resetExpiredWhy: 'It was used, or its 30 minutes are over.',
  anotherLink: 'Send another link',

  inviteTitle: (workspace: string) => `Join ${workspace}`,
  inviteWho: (who: string, role: string, email: string) => `${who} invites ${email} as ${role}.`,
  roles: { owner: 'an owner', admin: 'an admin', member: 'a member', guest: 'a guest' },
  inviteNew: 'Choose a name and a password for your account.',
  inviteKnown: 'There is an account with this address. Its password opens it.',
  inviteHere: (name: string) => `You are signed in as ${name}.`,
  inviteDo: 'Join',
  inviteExpiredWhy:
    'It was used, withdrawn or replaced, or its seven days are over. Ask for another.',
  wrongAccount: 'Another account is signed in',
  wrongAccountWhy: (here: string, invited: string) =>
    `This browser is signed in as ${here}; the invitation is for ${invited}.`,
  switchAccount: (invited: string) => `Go on as ${invited}`,
  stayAs: (here: string) => `Stay signed in as ${here}`,
  wrongPassword: 'This is not the password of the account.',
  deletedTitle: (name: string) => `${name} is deleted`,
  deletedWhy: (at: string) =>
    `It will be erased on ${at}, with all that is in it. Until then an owner can restore it as it was.`,
  restore: 'Restore the workspace',
  goTo: (name: string) => `Go to ${name}`,
  signOutHere: 'Sign out',

  noWorkspace: 'You are in no workspace',
  noWorkspaceBegin: 'Begin one of your own, or ask an owner or admin of another to invite you.',
  beginWorkspace: 'Begin workspace',
})
