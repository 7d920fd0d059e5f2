import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of second factors, passkeys and single sign-on, at sign-in and in the profile. */
export const signInMessages = defineMessages('signIn', {
  code: 'Code',
  codeTitle: 'Two-factor authentication',
  codeWhy: 'Enter the code from your authenticator app, or one of your recovery codes.',
  codeDo: 'Continue',
  codeWrong: 'This code is incorrect or was already used.',
  codeOver: 'This took too long. Sign in again.',
  back: 'Back',

  continueWith: (name: string) => `Continue with ${name}`,
  continueElsewhere: (name: string) => `Continue with ${name}, in another tab`,
  companyFailed: 'You could not be signed in',
  companyStopped: 'Sign-in with your company was not completed.',
  companyAgain: 'Back to sign-in',
  linkTitle: 'Sign in with this link',
  linkWhy:
    'Your administrator created this link for you. It works once and expires after 15 minutes.',
  linkDo: 'Sign in',
  linkOver: 'This link was already used or has expired.',

  notLinked: (name: string) => `Link your account to sign in with ${name}.`,
  linked: (who: string, day: string) => `Linked to ${who} since ${day}.`,
  link: 'Link',
  unlink: 'Unlink',
  unlinkTitle: (company: string) => `Unlink ${company}`,
  unlinkWhy: 'You will no longer be able to sign in with it.',
  unlinked: 'Account unlinked',
  lastWayIn: 'You have no password, so this is your only way to sign in.',

  means: {
    password: 'with password',
    passkey: 'with passkey',
    company: 'with company account',
    link: 'with a link',
    sign_up: 'with a new account',
  },
  andCode: (means: string) => `${means} and code`,

  byPasskey: 'Sign in with a passkey',
  passkey: 'Passkey',
  passkeys: 'Passkeys',
  passkeysWhy:
    'Passkeys let you sign in with your fingerprint, face or PIN, without a password or code.',
  passkeyColumns: ['Last used', 'Provider', 'Created', 'Actions'],
  makePasskey: 'Create passkey',
  passkeyMade: 'Passkey created',
  noPasskeys: 'This browser does not support passkeys.',
  passkeyEnd: 'Remove',
  passkeyEndTitle: (name: string) => `Remove passkey ${name}`,
  passkeyEndWhy: 'You won’t be able to sign in with it. Delete it from your device, too.',
  passkeyEnded: (name: string) => `Removed passkey ${name}`,

  demandTitle: (workspace: string) => `${workspace} requires two-factor authentication`,
  secondFactorSetupHint:
    'An owner requires it for everyone. Set it up to continue where you left off.',
  secondFactorConfirmHint:
    'You have set it up. Sign in again with your code to continue where you left off.',
  demandDone: 'Two-factor authentication is on.',
  signInWithIt: 'Sign in with your code',
  demand: 'Require for everyone',
  demandEnd: 'Stop requiring',
  demandOwners: 'Only owners can change this.',
  demandOff: 'Members choose whether to use two-factor authentication.',
  demandOn: 'Members must set up two-factor authentication before they can see the workspace.',
  demandKeys: 'API keys and applications keep working. Company sign-in is exempt.',
  without: (count: number) =>
    plural(count, {
      one: '1 member has not set it up yet.',
      other: '# members have not set it up yet.',
    }),

  factor: 'Two-factor authentication',
  factorOff:
    'Protect your account with a code from your phone, even if someone learns your password.',
  factorOn: (day: string) => `On since ${day}.`,
  codesLeft: (count: number) =>
    plural(count, { one: '1 recovery code left.', other: '# recovery codes left.' }),
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  turnedOff: 'Two-factor authentication turned off',
  newCodes: 'New recovery codes',
  current: 'Password',
  currentWhy: 'Enter your password to confirm it is you.',
  confirmTitle: 'Confirm it is you',
  next: 'Next',
  scanTitle: 'Scan this with your authenticator app',
  scanWhy: 'Or enter this setup key:',
  scanCode: 'Then enter the code it shows.',
  qr: 'Setup key as an image to scan',
  codesTitle: 'Save your recovery codes',
  codesWhy:
    'Use each one once instead of a code, for example if you lose your phone. You won’t see them again.',
  codesStub: 'Use once',
  codesCopy: 'Copy codes',
  codesLoss: {
    title: 'Leave without copying the codes?',
    text: 'They are not shown again. Without them, losing your phone locks you out.',
    action: 'Leave',
  },
})
