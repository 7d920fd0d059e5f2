import { type RawBuilder, sql } from 'kysely'
import { commandOfAll } from './statement.ts'

/** Whether a grant can still be used: tokens were issued for it, and its time is not over. */
export const isLasting = (now: unknown): RawBuilder<boolean> =>
  sql`grants.expires_at > ${now} and exists (
    select 1 from oauth_records as tokens
    where tokens.grant_id = grants.id and tokens.kind = 'RefreshToken'
  )`

/** The application that comes with Docket itself. */
export const COMMAND_LINE = 'app_00000000000000000000000001'

/** Forgets some applications that registered themselves before `before` and that nobody allows anything. */
export const forgetUnusedApplications = commandOfAll((db, $: { before: string; limit: number }) =>
  db
    .deleteFrom('applications')
    .where('workspace_id', 'is', null)
    .where('id', 'in', (is) =>
      is
        .selectFrom('applications as unused')
        .select('unused.id')
        .where('unused.workspace_id', 'is', null)
        .where('unused.created_by_id', 'is', null)
        .where('unused.id', '<>', COMMAND_LINE)
        .where('unused.created_at', '<=', $.before)
        .where((one) =>
          one.not(
            one.exists(
              one
                .selectFrom('grants')
                .select('grants.id')
                .whereRef('grants.application_id', '=', 'unused.id'),
            ),
          ),
        )
        .limit($.limit),
    ),
)
