import type { AdapterPayload } from 'oidc-provider'
import type { ReadTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'

const applicationById = unscopedQuery((db, $: { id: string }) =>
  db
    .selectFrom('applications')
    .select(['id', 'name', 'type', 'redirect_uris', 'scopes', 'secret_hash'])
    .where('id', '=', $.id),
)

/** Client metadata for oidc-provider, with additional fields for our own rules. */
export interface OidcClient extends AdapterPayload {
  docket_type: 'confidential' | 'public'
  docket_redirect_uris: string[]
  docket_secret_hash: string | null
}

/** The additional fields that oidc-provider passes through unchanged. */
export const EXTRA_CLIENT_METADATA = ['docket_type', 'docket_redirect_uris', 'docket_secret_hash']

/**
 * Returns an application as client metadata. Our own rules for redirect URIs and secrets replace
 * those of the library (docs/spec/api.md#oauth). Therefore its fields contain placeholders, and the real
 * values are in `docket_…`.
 */
export async function findOidcClient(tx: ReadTx, id: string): Promise<OidcClient | undefined> {
  // Only well-formed ids may reach a statement: PostgreSQL rejects text with U+0000.
  const application = /^app_[0-9a-z]{26}$/.test(id)
    ? await tx.one(applicationById, { id })
    : undefined
  if (!application) return undefined
  const { name, type, secret_hash } = application
  const method = type === 'public' ? 'none' : 'client_secret_basic'
  return {
    client_id: id,
    client_name: name,
    redirect_uris: ['https://registered.invalid'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    ...(type === 'confidential' && { client_secret: 'hashed' }),
    scope: (JSON.parse(application.scopes) as string[]).join(' '),
    docket_type: type,
    docket_redirect_uris: JSON.parse(application.redirect_uris) as string[],
    docket_secret_hash: secret_hash,
  }
}
