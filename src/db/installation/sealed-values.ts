import { sql } from 'kysely'
import {
  command,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'
import type { PageSlots } from './record-lists.ts'

/** What is encrypted with the secret of the installation, or ends with it (`docket secret renew`). */

export const sessionTotals = unscopedQuery((db) =>
  db
    .selectFrom('sessions')
    .select((is) => [
      is.fn.countAll<number>().as('sessions'),
      sql<number>`count(distinct user_id)`.as('people'),
    ]),
)

export const removeAllSessions = unscopedCommand((db) => db.deleteFrom('sessions'))

/** Accounts with an authenticator app, by id. */
export const totpOwnersAfter = unscopedQuery((db, $: PageSlots) =>
  db
    .selectFrom('second_factors')
    .innerJoin('users', 'users.id', 'second_factors.user_id')
    .select(['users.id', 'users.email'])
    .where('second_factors.user_id', '>', $.after)
    .orderBy('second_factors.user_id')
    .limit($.limit),
)

export const webhooksAfter = query((db, $: Scoped<PageSlots>) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'url'])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

type SealedWebhookSecret = { id: string; sealed_secret: string; secret_hint: string }
export const replaceWebhookSecret = command((db, $: Scoped<SealedWebhookSecret>) =>
  db
    .updateTable('webhooks')
    .set({
      ...pickSlots($, 'sealed_secret', 'secret_hint'),
      sealed_previous_secret: null,
      previous_secret_expires_at: null,
    })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** Jobs that cannot be done without what they hold encrypted, such as an email with a link. */
export const removeSealedJobs = unscopedCommand((db) =>
  db
    .deleteFrom('jobs')
    .where('ended_at', 'is', null)
    .where((is) => is.or([is('secret', 'is not', null), is('kind', '=', 'profile_change')])),
)

/** Replies of `Idempotency-Key` that hold a secret: they alone are no JSON. */
export const removeSealedReplies = unscopedCommand((db) =>
  db
    .deleteFrom('replies')
    .where('body', '<>', '')
    .where('body', 'not like', '{%')
    .where('body', 'not like', '[%'),
)
