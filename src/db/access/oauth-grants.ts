import { type RawBuilder, sql } from 'kysely'
import { unscopedCommand } from '../core/statement.ts'

/** Whether a grant can still be used: it has tokens and has not expired. */
export const isGrantUsable = (now: unknown): RawBuilder<boolean> =>
  sql`grants.expires_at > ${now} and exists (
    select 1 from oauth_records as tokens
    where tokens.grant_id = grants.id and tokens.kind = 'RefreshToken'
  )`

/** The id of the built-in application, the command line. */
export const COMMAND_LINE_APPLICATION_ID = 'app_00000000000000000000000001'

/** Deletes applications that registered themselves before `before` and have no grant. */
export const deleteUnusedApplications = unscopedCommand(
  (db, $: { before: string; limit: number }) =>
    db
      .deleteFrom('applications')
      .where('workspace_id', 'is', null)
      .where('id', 'in', (is) =>
        is
          .selectFrom('applications as unused')
          .select('unused.id')
          .where('unused.workspace_id', 'is', null)
          .where('unused.created_by_id', 'is', null)
          .where('unused.id', '<>', COMMAND_LINE_APPLICATION_ID)
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
