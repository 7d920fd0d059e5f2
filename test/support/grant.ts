import type { ReadTx, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { GrantRow, OAuthRecordRow } from '#storage/tables.ts'

/** The slot `workspace_id` would be filled in by the transaction, which may be of another. */
type Inserted = Omit<GrantRow, 'workspace_id'> & { in_workspace: string }
const insertGrant = commandOfAll((db, $: Inserted) =>
  db.insertInto('grants').values({
    ...row($, 'id', 'user_id', 'application_id', 'scopes'),
    ...row($, 'created_at', 'last_used_at', 'expires_at'),
    workspace_id: $.in_workspace,
  }),
)

const insertToken = commandOfAll(
  (db, $: Pick<OAuthRecordRow, 'hash' | 'grant_id' | 'expires_at'>) =>
    db.insertInto('oauth_records').values({
      ...row($, 'hash', 'grant_id', 'expires_at'),
      ...{ kind: 'RefreshToken', parent_hash: null, session_id: null, payload: '{}' },
      ...{ used_at: null, ended: 0 },
    }),
)

const LATER = '2100-01-01T00:00:00.000Z'

interface Allowed {
  in_workspace: string
  user_id: string
  application_id: string
  scopes?: readonly string[]
  expires_at?: string
  token_expires_at?: string
  /** Whether its first tokens were issued; the hash of one is the id of the grant. */
  hasToken?: boolean
}

/** What a person allows an application, as if it had been asked for: gives the id of the grant. */
export async function allowed(tx: WriteTx, given: Allowed): Promise<string> {
  const { scopes = ['tasks:read'], expires_at = LATER, hasToken = true, ...rest } = given
  const { token_expires_at = expires_at, ...who } = rest
  const id = newId('grt', tx.instant)
  const times = { created_at: tx.now, last_used_at: null, expires_at }
  await tx.run(insertGrant, { id, ...who, scopes: JSON.stringify(scopes), ...times })
  if (hasToken) await tx.run(insertToken, { hash: id, grant_id: id, expires_at: token_expires_at })
  return id
}

const grantById = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('grants').select('id').where('id', '=', $.id),
)

const tokenOf = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('oauth_records').select('hash').where('hash', '=', $.id),
)

/** What is left of a grant: itself, and its token. */
export const leftOf = async (tx: ReadTx, id: string): Promise<[grant: boolean, token: boolean]> => [
  (await tx.one(grantById, { id })) !== undefined,
  (await tx.one(tokenOf, { id })) !== undefined,
]
