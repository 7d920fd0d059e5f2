import type { Door } from '#core/door.ts'
import { changeAccount } from './account.ts'
import { beginCompanySignIn, endCompanyLink, finishCompanySignIn } from './company.ts'
import { deleteWorkspace } from './deletion.ts'
import { eraseAccount } from './erase.ts'
import {
  disableSecondFactor,
  enableSecondFactor,
  prepareSecondFactor,
  renewRecoveryCodes,
} from './factor-settings.ts'
import { acceptInvitation, createInvitation, lookUpInvitation } from './invitations.ts'
import { signInByLink } from './link.ts'
import { getSignInMeans } from './means.ts'
import { beginOwnWorkspace, leaveSignIn } from './own-workspace.ts'
import {
  beginPasskey,
  beginPasskeySignIn,
  createPasskey,
  deletePasskey,
  signInByPasskey,
} from './passkeys.ts'
import { acceptReset, askReset } from './reset.ts'
import { giveSecondFactor } from './second-factor.ts'
import { setUp } from './setup.ts'
import { signIn, signOut, switchWorkspace } from './sign-in.ts'
import { getSetup, signUp } from './sign-up.ts'

/** The ways to a session and to an account (contract 9.1). */
export const accounts: readonly Door[] = [
  getSetup,
  signUp,
  setUp,
  signIn,
  switchWorkspace,
  signOut,
  changeAccount,
  eraseAccount,
  deleteWorkspace,
  askReset,
  acceptReset,
  createInvitation,
  lookUpInvitation,
  acceptInvitation,
  giveSecondFactor,
  beginOwnWorkspace,
  leaveSignIn,
  getSignInMeans,
  prepareSecondFactor,
  enableSecondFactor,
  renewRecoveryCodes,
  disableSecondFactor,
  beginCompanySignIn,
  finishCompanySignIn,
  endCompanyLink,
  signInByLink,
  beginPasskeySignIn,
  signInByPasskey,
  beginPasskey,
  createPasskey,
  deletePasskey,
]
