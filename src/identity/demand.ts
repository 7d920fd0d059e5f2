import { later } from '#core/later.ts'
import { Refusal } from '#core/refusal.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { command, query, queryOfAll, row, type Scoped } from '#storage/statement.ts'
import { advanceGeneration } from './generation.ts'

/** Whether a workspace answers sessions of one factor, too. */
export type Demand = 'optional' | 'required'

/** What the workspace of the transaction demands of its members, and how many of them have nothing to show. */
export async function demandOf(tx: ReadTx): Promise<{ second_factor: Demand; without: number }> {
  const second_factor = inWords((await tx.one(demandHere, {}))?.requires)
  return { second_factor, without: (await tx.one(membersWithout, {}))?.count ?? 0 }
}

/** Demands a second factor of all members, or of nobody; the same again is no change. */
export async function changeDemand(tx: WriteTx, wanted: Demand): Promise<void> {
  const here = await tx.one(demandHere, {})
  const from = inWords(here?.requires)
  if (!here || from === wanted) return
  const updated_at = later(tx, here.updated_at)
  const requires_second_factor = wanted === 'required' ? 1 : 0
  await tx.run(updateDemand, { requires_second_factor, updated_at })
  const second_factor = { from, to: wanted }
  tx.audit('workspace.updated', tx.actor.workspace_id, {
    changed: ['second_factor'],
    second_factor,
  })
  await advanceGeneration(tx)
}

/** Whether that workspace demands a second factor. */
export const isDemanded = async (tx: ReadTx, id: string): Promise<boolean> =>
  (await tx.one(demandThere, { id }))?.requires === 1

/** Whether some workspace demands a second factor of this person. */
export const isDemandedOf = async (tx: ReadTx, user_id: string): Promise<boolean> =>
  (await tx.one(demandingOf, { user_id })) !== undefined

/** The answer to a session that has shown one factor, where the workspace demands two. */
export const secondFactorMissing = () =>
  new Refusal(
    403,
    'second_factor_missing',
    'This workspace demands a second factor: set one up, or sign in with the one that you have.',
  )

const inWords = (requires: number | undefined): Demand => (requires === 1 ? 'required' : 'optional')

const demandHere = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['requires_second_factor as requires', 'updated_at'])
    .where('id', '=', $.workspace_id),
)

const demandThere = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('workspaces').select('requires_second_factor as requires').where('id', '=', $.id),
)

const demandingOf = queryOfAll((db, $: { user_id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select('workspaces.id')
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.requires_second_factor', '=', 1)
    .limit(1),
)

const updateDemand = command(
  (db, $: Scoped<{ requires_second_factor: number; updated_at: string }>) =>
    db
      .updateTable('workspaces')
      .set(row($, 'requires_second_factor', 'updated_at'))
      .where('id', '=', $.workspace_id),
)

/** Whoever comes by the company needs nothing of their own. */
const membersWithout = query((db, $: Scoped) =>
  db
    .selectFrom('memberships')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id)
    .where('removed_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('second_factors')
            .select('second_factors.user_id')
            .whereRef('second_factors.user_id', '=', 'memberships.user_id')
            .where('enabled_at', 'is not', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('passkeys')
            .select('passkeys.id')
            .whereRef('passkeys.user_id', '=', 'memberships.user_id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('company_links')
            .select('company_links.user_id')
            .whereRef('company_links.user_id', '=', 'memberships.user_id'),
        ),
      ),
    ),
)
