import type { Door } from '#core/door.ts'
import { signIn, signOut, switchWorkspace } from './sign-in.ts'

/** The ways to a session and to an account (contract 9.1). */
export const accounts: readonly Door[] = [signIn, switchWorkspace, signOut]
