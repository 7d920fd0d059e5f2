import type { ReadTx, WriteTx } from '#core/tx.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { CompanyLinkRow } from '#storage/tables.ts'
import { INSTALLATION } from '#wire/audit.ts'

type Named = Pick<CompanyLinkRow, 'issuer' | 'subject'>

/** Whose account this person of the provider is. */
export const linkedTo = async (tx: ReadTx, { issuer, subject }: Named) =>
  (await tx.one(linkOf, { issuer, subject }))?.user_id

/** Who the person is at this provider; null: nobody yet. */
export const linkedBy = async (tx: ReadTx, user_id: string) =>
  (await tx.one(linkOfPerson, { user_id })) ?? null

/** Links an account to a person of the provider. False where somebody is linked to that person already. */
export async function link(
  tx: WriteTx,
  { issuer, subject, user_id, email }: Omit<CompanyLinkRow, 'created_at' | 'last_used_at'>,
): Promise<boolean> {
  const made = { issuer, subject, user_id, email, created_at: tx.now, last_used_at: tx.now }
  if ((await tx.run(insertLink, made)) === 0) return false
  tx.audit('company.linked', user_id, {}, INSTALLATION)
  return true
}

export const noteUse = (
  tx: WriteTx,
  { issuer, subject, email }: Named & { email: string | null },
) => tx.run(touchLink, { issuer, subject, email, last_used_at: tx.now })

/** Ends all that link the person to a provider; tells whether there was any. */
export async function unlink(tx: WriteTx, user_id: string): Promise<boolean> {
  if ((await tx.run(removeLinks, { user_id })) === 0) return false
  tx.audit('company.unlinked', user_id, {}, INSTALLATION)
  return true
}

const linkOf = queryOfAll((db, $: Named) =>
  db
    .selectFrom('company_links')
    .select('user_id')
    .where('issuer', '=', $.issuer)
    .where('subject', '=', $.subject),
)

const linkOfPerson = queryOfAll((db, $: { user_id: string }) =>
  db
    .selectFrom('company_links')
    .select(['email', 'created_at', 'last_used_at'])
    .where('user_id', '=', $.user_id)
    .orderBy('created_at', 'desc')
    .limit(1),
)

const insertLink = commandOfAll((db, $: CompanyLinkRow) =>
  db
    .insertInto('company_links')
    .values(row($, 'issuer', 'subject', 'user_id', 'email', 'created_at', 'last_used_at'))
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()),
)

const touchLink = commandOfAll((db, $: Named & { email: string | null; last_used_at: string }) =>
  db
    .updateTable('company_links')
    .set(row($, 'email', 'last_used_at'))
    .where('issuer', '=', $.issuer)
    .where('subject', '=', $.subject),
)

const removeLinks = commandOfAll((db, $: { user_id: string }) =>
  db.deleteFrom('company_links').where('user_id', '=', $.user_id),
)
