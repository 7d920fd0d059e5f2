import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { CompanyLinkRow } from '#db/schema/tables.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'

type SsoIdentityKey = Pick<CompanyLinkRow, 'issuer' | 'subject'>

/** Returns the user that is linked to this identity at the SSO provider. */
export const findUserOfSsoIdentity = async (tx: ReadTx, { issuer, subject }: SsoIdentityKey) =>
  (await tx.one(linkByIdentity, { issuer, subject }))?.user_id

/** Returns a user's newest link to an SSO identity, or null if there is none. */
export const findSsoLinkOfUser = async (tx: ReadTx, user_id: string) =>
  (await tx.one(linkByUser, { user_id })) ?? null

/** Links an account to an SSO identity. Returns false if the identity is linked already. */
export async function linkSsoIdentity(
  tx: WriteTx,
  { issuer, subject, user_id, email }: Omit<CompanyLinkRow, 'created_at' | 'last_used_at'>,
): Promise<boolean> {
  const values = { issuer, subject, user_id, email, created_at: tx.now, last_used_at: tx.now }
  if ((await tx.run(insertLink, values)) === 0) return false
  tx.audit('company.linked', user_id, {}, INSTALLATION_AUDIT_LOG)
  return true
}

export const recordSsoSignIn = (
  tx: WriteTx,
  { issuer, subject, email }: SsoIdentityKey & { email: string | null },
) => tx.run(touchLink, { issuer, subject, email, last_used_at: tx.now })

/** Removes all SSO links of a user. Returns whether there was any. */
export async function removeSsoLinks(tx: WriteTx, user_id: string): Promise<boolean> {
  if ((await tx.run(removeLinks, { user_id })) === 0) return false
  tx.audit('company.unlinked', user_id, {}, INSTALLATION_AUDIT_LOG)
  return true
}

const linkByIdentity = unscopedQuery((db, $: SsoIdentityKey) =>
  db
    .selectFrom('company_links')
    .select('user_id')
    .where('issuer', '=', $.issuer)
    .where('subject', '=', $.subject),
)

const linkByUser = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('company_links')
    .select(['email', 'created_at', 'last_used_at'])
    .where('user_id', '=', $.user_id)
    .orderBy('created_at', 'desc')
    .limit(1),
)

const insertLink = unscopedCommand((db, $: CompanyLinkRow) =>
  db
    .insertInto('company_links')
    .values(pickSlots($, 'issuer', 'subject', 'user_id', 'email', 'created_at', 'last_used_at'))
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()),
)

const touchLink = unscopedCommand(
  (db, $: SsoIdentityKey & { email: string | null; last_used_at: string }) =>
    db
      .updateTable('company_links')
      .set(pickSlots($, 'email', 'last_used_at'))
      .where('issuer', '=', $.issuer)
      .where('subject', '=', $.subject),
)

const removeLinks = unscopedCommand((db, $: { user_id: string }) =>
  db.deleteFrom('company_links').where('user_id', '=', $.user_id),
)
