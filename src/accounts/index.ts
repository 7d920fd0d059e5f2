import type { Door } from '#core/door.ts'
import { changeAccount } from './account.ts'
import { deleteWorkspace } from './deletion.ts'
import { eraseAccount } from './erase.ts'
import { acceptInvitation, createInvitation, lookUpInvitation } from './invitations.ts'
import { acceptReset, askReset } from './reset.ts'
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
]
