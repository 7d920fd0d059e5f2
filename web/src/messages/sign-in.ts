import { plural } from './plural.ts'
import { say } from './say.ts'

/** Texts of the ways to sign in beside the password: at the sign-in, and in the profile. */
export const m = say('signIn', {
  code: 'Code',
  codeTitle: 'Second factor',
  codeWhy: 'The code that your application shows, or one of your recovery codes.',
  codeDo: 'Go on',
  codeWrong: 'This code is not right, or was used before.',
  codeOver: 'That took too long. Sign in once more.',
  back: 'Back',

  continueWith: (name: string) => `Continue with ${name}`,
  continueElsewhere: (name: string) => `Continue with ${name}, in another tab`,
  companyFailed: 'You are not signed in',
  companyStopped: 'The sign-in there was not finished.',
  companyAgain: 'Back to signing in',
  linkTitle: 'Sign in by this link',
  linkWhy: 'Whoever runs this installation has made it for you. It works once, for 15 minutes.',
  linkDo: 'Sign in',
  linkOver: 'This link was used, or its 15 minutes are over.',

  notLinked: (name: string) => `Link your account, and you can sign in with ${name}.`,
  linked: (who: string, day: string) => `You sign in there as ${who}, since ${day}.`,
  link: 'Link',
  unlink: 'Unlink',
  unlinked: 'Link ended',
  lastWayIn: 'You have no password: this is how you sign in.',

  means: {
    password: 'by password',
    passkey: 'by passkey',
    company: 'by the company',
    link: 'by a link',
    sign_up: 'with a new account',
  },
  andCode: (means: string) => `${means} and code`,

  byPasskey: 'Sign in with a passkey',
  passkey: 'Passkey',
  passkeys: 'Passkeys',
  passkeysWhy:
    'A passkey signs you in by a finger, your face or a PIN, without a password or a code.',
  passkeyColumns: ['Used', 'Made by', 'Made', 'Actions'],
  makePasskey: 'Make a passkey',
  passkeyMade: 'Passkey made',
  noPasskeys: 'This browser keeps no passkeys.',
  passkeyEnd: 'Remove',
  passkeyEndTitle: (name: string) => `Remove the passkey of ${name}`,
  passkeyEndWhy: 'Nobody signs in with it any more. Remove it from the device, too.',
  passkeyEnded: (name: string) => `Passkey of ${name} removed`,

  factor: 'Second factor',
  factorOff: 'Whoever learns your password can sign in. A code from your phone stops them.',
  factorOn: (day: string) => `Asked for since ${day}.`,
  codesLeft: (count: number) =>
    plural(count, { one: '1 recovery code is left.', other: '# recovery codes are left.' }),
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  turnedOff: 'Second factor turned off',
  newCodes: 'New recovery codes',
  current: 'Password',
  currentWhy: 'Only you know it: it shows that it is you.',
  next: 'Next',
  scanTitle: 'Scan this with an application that makes codes',
  scanWhy: 'Or type the key into it:',
  scanCode: 'Then type the code that it shows.',
  qr: 'The key, as an image to scan',
  codesTitle: 'Recovery codes: keep them where your phone is not',
  codesWhy: 'Each of them stands in for the second factor once. They are not shown again.',
  codesStub: 'Once only',
  codesCopy: 'Copy codes',
  codesLoss: {
    title: 'Leave without copying the codes?',
    text: 'They are not shown again. Without them a lost phone locks you out.',
    action: 'Leave',
  },
})
