import type { Role } from '#core/actor.ts'
import type { WriteTx } from '#core/tx.ts'
import { fold } from '#lib/fold.ts'
import { wordsOf } from '#lib/words.ts'
import { command, query, row, type Scoped } from '#storage/statement.ts'
import type { MembershipRow } from '#storage/tables.ts'

/** A membership, also of somebody who was removed. */
export const membershipOf = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['user_id', 'role', 'removed_at', 'users.name', 'users.timezone'])
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

/** The person for whom the command line acts: who owns the workspace longest. */
export const firstOwner = query((db, $: Scoped) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .orderBy('joined_at')
    .orderBy('user_id')
    .limit(1),
)

/** Makes a person a member of the workspace, again if need be: then with the same id. */
export async function join(tx: WriteTx, user_id: string, name: string, role: Role): Promise<void> {
  await tx.run(forgetMembership, { user_id })
  await tx.run(insertMembership, {
    user_id,
    role,
    name_key: fold(name),
    name_words: ` ${wordsOf(name).join(' ')}`,
    joined_at: tx.now,
    removed_at: null,
    last_active_at: null,
  })
}

/** Only what was removed is forgotten: a member stays as it is, and the insert that follows fails. */
const forgetMembership = command((db, $: Scoped<{ user_id: string }>) =>
  db
    .deleteFrom('memberships')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id)
    .where('removed_at', 'is not', null),
)

const insertMembership = command((db, $: Scoped<MembershipRow>) =>
  db
    .insertInto('memberships')
    .values(
      row(
        $,
        'workspace_id',
        'user_id',
        'role',
        'name_key',
        'name_words',
        'joined_at',
        'removed_at',
        'last_active_at',
      ),
    ),
)
