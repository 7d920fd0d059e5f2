import { type ErrorCodeEntry, withStatus } from './error-code-entry.ts'

/** Who sends the request, and what they may do: 401 and 403. */
export const ACCESS_ERRORS: readonly ErrorCodeEntry[] = [
  ...withStatus(
    401,
    'unauthenticated',
    [
      'authentication_required',
      'The request has no credential, uses an unknown scheme, or its session has ended.',
      'Send `Authorization: Bearer` with your key, or sign in again.',
    ],
    [
      'invalid_token',
      'The key or token is malformed, unknown or revoked, or its owner is no longer a member of the workspace.',
      'Check that you copied the whole key. If it was revoked, create a new one.',
    ],
    [
      'token_expired',
      'The key or token has expired.',
      'Use the refresh token, or create a new key.',
    ],
    [
      'invalid_credentials',
      'The email address, the password or the code is wrong.',
      'Try again, or reset the password.',
    ],
    [
      'second_factor_required',
      'The password is correct, and the account has a second factor.',
      'Send a code to `POST /internal/session/second-factor`. Programs use an API key instead.',
    ],
    [
      'company_sign_in_failed',
      'The sign-in with the company’s identity provider failed.',
      'Start the sign-in again. Your operator finds the reason in the server log.',
    ],
    [
      'sign_in_over',
      'A sign-in with several steps took too long, or was already completed.',
      'Start the sign-in again.',
    ],
  ),
  ...withStatus(
    403,
    'forbidden',
    [
      'csrf_rejected',
      'A write with a session cookie came from another origin, or did not name its origin.',
      'In programs, use an API key instead of a cookie. Otherwise send `Origin` with the address of this installation.',
    ],
    [
      'insufficient_scope',
      'The credential lacks the scope that this operation requires.',
      '`error.required_scope` names the scope. Create a key that has it, or request it when you authorize.',
    ],
    [
      'insufficient_role',
      'You can see the record, but your role does not allow this, or only its author may do it.',
      'Ask an owner or admin of the workspace.',
    ],
    [
      'session_required',
      'A request to `/internal` had an `Authorization` header.',
      'These addresses are for signed-in browsers only. Use `/api/v1`.',
    ],
    [
      'signup_disabled',
      'On this installation you can only sign up with an invitation.',
      'Ask a member for an invitation.',
    ],
    [
      'no_workspace',
      'You are signed in, but you are not a member of any workspace.',
      'Create one with `POST /internal/session/workspace` if sign-up is open, or ask for an invitation.',
    ],
    [
      'company_sign_in_only',
      'This installation only allows sign-in with the company’s identity provider.',
      'Use the company’s button on the sign-in page.',
    ],
    [
      'company_email_refused',
      'The identity provider reports no verified email address for you, or one of another domain.',
      'Ask the administrator of the identity provider, or sign in another way.',
    ],
    [
      'sign_in_again',
      'What you asked for goes on after the session, so it needs your password or a sign-in within the last 15 minutes, or one with your second factor or passkey.',
      'Confirm your password in the app, or sign in again, with your second factor or passkey if you have one, and try again within 15 minutes. API keys are not asked.',
    ],
    [
      'second_factor_missing',
      'The workspace requires two-factor authentication, and your account or session lacks it.',
      'Set it up in your profile, or sign in again with it.',
    ],
    ['plan_locked', 'The plan of the workspace cannot be changed here.', 'Contact your operator.'],
  ),
]
