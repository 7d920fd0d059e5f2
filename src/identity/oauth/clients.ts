import type { AdapterPayload } from 'oidc-provider'
import type { ReadTx } from '#core/tx.ts'
import { queryOfAll } from '#storage/statement.ts'

const applicationById = queryOfAll((db, $: { id: string }) =>
  db
    .selectFrom('applications')
    .select(['id', 'name', 'type', 'redirect_uris', 'scopes', 'secret_hash'])
    .where('id', '=', $.id),
)

/** What the library and the rules beside it know of an application. */
export interface Client extends AdapterPayload {
  docket_type: 'confidential' | 'public'
  docket_redirect_uris: string[]
  docket_secret_hash: string | null
}

/** Of the application's own members, which the library hands through. */
export const OWN_MEMBERS = ['docket_type', 'docket_redirect_uris', 'docket_secret_hash']

/**
 * An application as a client of the authorization server. The library's own rules of redirect URIs and
 * secrets give way to ours (contract 4.4), and so it is told of none: what is compared is in our members.
 */
export async function clientById(tx: ReadTx, id: string): Promise<Client | undefined> {
  // What cannot be an id must not reach a statement: PostgreSQL refuses U+0000.
  const found = /^app_[0-9a-z]{26}$/.test(id) ? await tx.one(applicationById, { id }) : undefined
  if (!found) return undefined
  const { name, type, secret_hash } = found
  const method = type === 'public' ? 'none' : 'client_secret_basic'
  return {
    client_id: id,
    client_name: name,
    redirect_uris: ['https://registered.invalid'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    ...(type === 'confidential' && { client_secret: 'hashed' }),
    scope: (JSON.parse(found.scopes) as string[]).join(' '),
    docket_type: type,
    docket_redirect_uris: JSON.parse(found.redirect_uris) as string[],
    docket_secret_hash: secret_hash,
  }
}
