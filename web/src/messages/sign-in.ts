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
