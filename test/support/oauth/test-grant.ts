import type { CredentialSupervision } from '#core/actor.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { GrantRow, OAuthRecordRow } from '#db/schema/tables.ts'
import { newId } from '#lib/id.ts'

/** Not named `workspace_id`: the transaction, possibly of another workspace, would fill that in. */
type TestGrantRow = Omit<GrantRow, 'workspace_id' | keyof CredentialSupervision> & {
  in_workspace: string
}
const insertGrant = unscopedCommand((db, $: TestGrantRow) =>
  db.insertInto('grants').values({
    ...pickSlots($, 'id', 'user_id', 'application_id', 'scopes'),
    ...pickSlots($, 'created_at', 'last_used_at', 'expires_at'),
    workspace_id: $.in_workspace,
  }),
)

const insertToken = unscopedCommand(
  (db, $: Pick<OAuthRecordRow, 'hash' | 'grant_id' | 'expires_at'>) =>
    db.insertInto('oauth_records').values({
      ...pickSlots($, 'hash', 'grant_id', 'expires_at'),
      kind: 'RefreshToken',
      parent_hash: null,
      session_id: null,
      payload: '{}',
      used_at: null,
      ended: 0,
    }),
)

const LATER = '2100-01-01T00:00:00.000Z'

interface TestGrant {
  in_workspace: string
  user_id: string
  application_id: string
  scopes?: readonly string[]
  expires_at?: string
  token_expires_at?: string
  /** Whether a refresh token was issued; its hash is the id of the grant. */
  hasToken?: boolean
}

/** Inserts a grant as if a person had authorized the application, and returns its id. */
export async function insertTestGrant(tx: WriteTx, given: TestGrant): Promise<string> {
  const { scopes = ['tasks:read'], expires_at = LATER, hasToken = true, ...rest } = given
  const { token_expires_at = expires_at, ...who } = rest
  const id = newId('grt', tx.nowMs)
  const times = { created_at: tx.now, last_used_at: null, expires_at }
  await tx.run(insertGrant, { id, ...who, scopes: JSON.stringify(scopes), ...times })
  if (hasToken) await tx.run(insertToken, { hash: id, grant_id: id, expires_at: token_expires_at })
  return id
}

const grantById = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('grants').select('id').where('id', '=', $.id),
)

const tokenOf = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('oauth_records').select('hash').where('hash', '=', $.id),
)

/** Whether the grant and its token still exist. */
export const findGrantRemains = async (
  tx: ReadTx,
  id: string,
): Promise<[grant: boolean, token: boolean]> => [
  (await tx.one(grantById, { id })) !== undefined,
  (await tx.one(tokenOf, { id })) !== undefined,
]
