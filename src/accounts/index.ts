import type { SessionAction } from '#core/session-action.ts'
import { createApiKeyAction } from './api-keys/create-api-key.ts'
import { allowOperationAction, changeOperationAction } from './approvals/allow-operation.ts'
import { deleteWorkspaceAction, eraseAccountAction } from './deletion/deletion.ts'
import {
  acceptInvitationAction,
  createInvitationAction,
  lookUpInvitationAction,
} from './invitations/invitations.ts'
import { changeMemberRoleAction } from './members/change-member-role.ts'
import {
  beginPasskeyRegistrationAction,
  beginPasskeySignInAction,
  createPasskeyAction,
  deletePasskeyAction,
  signInWithPasskeyAction,
} from './passkeys/passkeys.ts'
import {
  completePasswordResetAction,
  requestPasswordResetAction,
} from './password-reset/password-reset.ts'
import { endAccountAccessAction, listAccountAccessAction } from './profile/account-access.ts'
import { changeAccountAction } from './profile/change-account.ts'
import { confirmEmailAction, sendConfirmationLinkAction } from './profile/confirm-email.ts'
import {
  disableSecondFactorAction,
  enableSecondFactorAction,
  prepareSecondFactorAction,
  renewRecoveryCodesAction,
} from './second-factor/second-factor-settings.ts'
import { verifySecondFactorAction } from './second-factor/verify-second-factor.ts'
import { confirmSessionAction } from './sign-in/reauthentication.ts'
import {
  getSignInMethodsAction,
  signInAction,
  signInWithLinkAction,
  signOutAction,
  switchWorkspaceAction,
} from './sign-in/sign-in.ts'
import { completeSetupAction } from './sign-up/complete-setup.ts'
import {
  cancelPendingSignInAction,
  createAnotherWorkspaceAction,
  createFirstWorkspaceAction,
} from './sign-up/first-workspace.ts'
import { getSetupAction, signUpAction } from './sign-up/sign-up.ts'
import { beginSsoSignInAction, endSsoLinkAction, finishSsoSignInAction } from './sso/sso-sign-in.ts'

/** The actions for sessions and accounts (docs/spec/api.md#accounts-and-sessions). */
export const accountActions: readonly SessionAction[] = [
  getSetupAction,
  signUpAction,
  completeSetupAction,
  signInAction,
  switchWorkspaceAction,
  confirmSessionAction,
  signOutAction,
  changeAccountAction,
  confirmEmailAction,
  listAccountAccessAction,
  endAccountAccessAction,
  sendConfirmationLinkAction,
  eraseAccountAction,
  deleteWorkspaceAction,
  requestPasswordResetAction,
  completePasswordResetAction,
  createInvitationAction,
  lookUpInvitationAction,
  acceptInvitationAction,
  verifySecondFactorAction,
  createFirstWorkspaceAction,
  createAnotherWorkspaceAction,
  cancelPendingSignInAction,
  getSignInMethodsAction,
  prepareSecondFactorAction,
  enableSecondFactorAction,
  renewRecoveryCodesAction,
  disableSecondFactorAction,
  beginSsoSignInAction,
  finishSsoSignInAction,
  endSsoLinkAction,
  signInWithLinkAction,
  beginPasskeySignInAction,
  signInWithPasskeyAction,
  beginPasskeyRegistrationAction,
  createPasskeyAction,
  deletePasskeyAction,
  createApiKeyAction,
  allowOperationAction,
  changeOperationAction,
  changeMemberRoleAction,
]
