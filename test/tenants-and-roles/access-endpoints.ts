import {
  everyone,
  FORBIDDEN,
  hiddenFromOthers,
  type InternalEndpointCase,
  MISSING,
  managersOnly,
  ownersOnly,
} from './endpoint-outcomes.ts'
import {
  newApiKeyIds,
  newApplicationIds,
  newGrantIds,
  newInvitationIds,
  newMemberIds,
  newOwnerIds,
  newPendingOperationIds,
  newSessionIds,
  unknownInteractionIds,
  userIds,
} from './internal-records.ts'

/**
 * The outcomes of the endpoints that decide who may do what: members, accounts, sessions, API keys,
 * applications, and the workspace as a whole.
 */
export const ACCESS_ENDPOINT_CASES: Record<string, readonly InternalEndpointCase[]> = {
  'PATCH /internal/members/:id': [
    { outcomes: managersOnly('200'), ids: newMemberIds, body: { role: 'guest' } },
    {
      outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN],
      ids: newMemberIds,
      body: { role: 'owner' },
    },
    { outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: userIds('owner'), body: {} },
  ],
  'DELETE /internal/members/:id': [
    { outcomes: managersOnly('204'), ids: newMemberIds },
    { outcomes: ['204', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: newOwnerIds },
  ],
  'GET /internal/members/:id/work': [
    { outcomes: managersOnly('200'), ids: newMemberIds },
    { outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: userIds('owner') },
  ],
  'POST /internal/members/:id/hand-over': [
    { outcomes: managersOnly('200'), ids: newMemberIds, body: { to: 'nobody' } },
    { outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: newOwnerIds, body: { to: 'leads' } },
  ],
  'GET /internal/session': [{ outcomes: everyone('200') }],
  'PATCH /internal/session': [{ outcomes: everyone('200'), body: {} }],
  'POST /internal/session/confirmation': [
    { outcomes: everyone('422 validation_failed'), body: { current_password: 'no' } },
  ],
  'DELETE /internal/session': [{ outcomes: everyone('204'), endsSession: true }],
  'GET /internal/sessions': [{ outcomes: everyone('200') }],
  'DELETE /internal/sessions/:id': [
    { outcomes: everyone('204'), ids: newSessionIds() },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newSessionIds('owner') },
  ],
  'POST /internal/setup': [
    {
      outcomes: everyone(MISSING),
      body: { email: 'a@example.com', password: 'plum tart at noon', name: 'A', demo: 'keep' },
    },
  ],
  'DELETE /internal/account': [
    { outcomes: everyone('422 validation_failed'), body: { current_password: 'no' } },
  ],
  'PATCH /internal/account': [{ outcomes: everyone('200'), body: {} }],
  'POST /internal/account/email-confirmation': [
    { outcomes: everyone(MISSING), body: { token: 'unknown' } },
  ],
  'POST /internal/account/email-confirmation/link': [{ outcomes: everyone('202') }],
  'GET /internal/account/access': [{ outcomes: everyone('200') }],
  'DELETE /internal/account/access/:id': [
    { outcomes: everyone('204'), ids: newApiKeyIds() },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newApiKeyIds('owner') },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newInvitationIds },
  ],
  'GET /internal/account/sign-in': [{ outcomes: everyone('200') }],
  // Changes of sign-in methods need the current password.
  'POST /internal/account/second-factor': [{ outcomes: everyone('422 validation_failed') }],
  'POST /internal/account/second-factor/enable': [
    { outcomes: everyone('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/second-factor/recovery-codes': [
    { outcomes: everyone('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/second-factor/disable': [
    { outcomes: everyone('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/passkeys/challenge': [{ outcomes: everyone('422 validation_failed') }],
  'POST /internal/account/passkeys': [
    {
      outcomes: everyone('401 sign_in_over'),
      body: { name: 'K', id: 'a', client_data: 'a', attestation: 'a', transports: [] },
    },
  ],
  'DELETE /internal/account/passkeys/:id': [
    { outcomes: everyone(MISSING), ids: () => [`pky_${'0'.repeat(26)}`] },
  ],
  'DELETE /internal/account/company': [{ outcomes: everyone('422 validation_failed'), body: {} }],
  'GET /internal/workspace': [{ outcomes: everyone('200') }],
  'PATCH /internal/workspace': [
    { outcomes: managersOnly('200'), body: { name: 'Renamed' } },
    { outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], body: { plan: 'paid' } },
  ],
  'GET /internal/workspace/sign-in': [{ outcomes: managersOnly('200') }],
  // These sessions have shown one factor; src/accounts/second-factor/second-factor-policy.test.ts
  // tests two.
  'PATCH /internal/workspace/sign-in': [
    { outcomes: ownersOnly('200'), body: { second_factor: 'optional' } },
    { outcomes: ownersOnly('409 second_factor_missing'), body: { second_factor: 'required' } },
  ],
  'GET /internal/workspace/second-factor': [{ outcomes: everyone('200') }],
  // src/accounts/deletion/delete-workspace.test.ts tests deleted workspaces.
  'GET /internal/workspace/deletion': [{ outcomes: ownersOnly(MISSING) }],
  'POST /internal/workspace/restore': [{ outcomes: ownersOnly(MISSING) }],
  'DELETE /internal/workspace': [
    { outcomes: ownersOnly('422 validation_failed'), body: { name: 'No', current_password: 'no' } },
  ],
  'GET /internal/workspace/usage': [{ outcomes: managersOnly('200') }],
  'GET /internal/audit': [{ outcomes: managersOnly('200') }],
  'GET /internal/api-keys': [{ outcomes: everyone('200') }],
  'POST /internal/api-keys': [{ outcomes: everyone('201'), body: { name: 'K', preset: 'full' } }],
  'PATCH /internal/api-keys/:id': [
    { outcomes: everyone('200'), ids: newApiKeyIds(), body: { rate_limit: 9 } },
    { outcomes: hiddenFromOthers('200'), ids: newApiKeyIds('owner'), body: { rate_limit: 9 } },
  ],
  'DELETE /internal/api-keys/:id': [
    { outcomes: everyone('204'), ids: newApiKeyIds() },
    { outcomes: hiddenFromOthers('204'), ids: newApiKeyIds('owner') },
  ],
  'GET /internal/apps': [{ outcomes: managersOnly('200') }],
  'POST /internal/apps': [
    {
      outcomes: managersOnly('201'),
      body: {
        name: 'A',
        type: 'public',
        scopes: ['tasks:read'],
        redirect_uris: ['https://a.example/cb'],
      },
    },
  ],
  'GET /internal/apps/:id': [{ outcomes: managersOnly('200'), ids: newApplicationIds }],
  'PATCH /internal/apps/:id': [
    { outcomes: managersOnly('200'), ids: newApplicationIds, body: { name: 'B' } },
  ],
  'DELETE /internal/apps/:id': [{ outcomes: managersOnly('204'), ids: newApplicationIds }],
  'POST /internal/apps/:id/rotate-secret': [
    { outcomes: managersOnly('200'), ids: newApplicationIds },
  ],
  'GET /internal/apps/:id/grants': [{ outcomes: managersOnly('200'), ids: newApplicationIds }],
  'GET /internal/grants': [{ outcomes: everyone('200') }],
  'PATCH /internal/grants/:id': [
    { outcomes: everyone('200'), ids: newGrantIds(), body: { paused: true } },
    {
      outcomes: ['200', MISSING, MISSING, MISSING],
      ids: newGrantIds('owner'),
      body: { paused: true },
    },
  ],
  'GET /internal/approvals': [{ outcomes: everyone('200') }],
  'GET /internal/approvals/:id': [
    { outcomes: everyone('200'), ids: newPendingOperationIds() },
    { outcomes: hiddenFromOthers('200'), ids: newPendingOperationIds('owner') },
  ],
  // The task that it would delete does not exist.
  'PATCH /internal/approvals/:id': [
    { outcomes: everyone(MISSING), ids: newPendingOperationIds(), body: { request_body: {} } },
    {
      outcomes: [MISSING, FORBIDDEN, MISSING, MISSING],
      ids: newPendingOperationIds('owner'),
      body: { request_body: {} },
    },
  ],
  'POST /internal/approvals/:id/allow': [
    { outcomes: everyone('409 changed_since'), ids: newPendingOperationIds() },
    { outcomes: hiddenFromOthers('409 changed_since'), ids: newPendingOperationIds('owner') },
  ],
  'POST /internal/approvals/:id/refuse': [
    { outcomes: everyone('200'), ids: newPendingOperationIds() },
    { outcomes: hiddenFromOthers('200'), ids: newPendingOperationIds('owner') },
  ],
  'DELETE /internal/grants/:id': [
    { outcomes: everyone('204'), ids: newGrantIds() },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newGrantIds('owner') },
  ],
  // An OAuth interaction exists for one browser only.
  'GET /internal/oauth/interactions/:uid': [
    { outcomes: everyone(MISSING), ids: unknownInteractionIds },
  ],
  'POST /internal/oauth/interactions/:uid': [
    { outcomes: everyone(MISSING), ids: unknownInteractionIds, body: { decision: 'deny' } },
  ],
  'GET /internal/invitations': [{ outcomes: managersOnly('200') }],
  'POST /internal/invitations': [
    { outcomes: managersOnly('201'), body: { email: 'new@example.com', role: 'admin' } },
    {
      outcomes: ['201', FORBIDDEN, FORBIDDEN, FORBIDDEN],
      body: { email: 'new@example.com', role: 'owner' },
    },
  ],
  'DELETE /internal/invitations/:id': [{ outcomes: managersOnly('204'), ids: newInvitationIds }],
}
