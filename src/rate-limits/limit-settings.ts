import type { Plan } from '#core/actor.ts'
import type { SettingReader } from '#core/setting-reader.ts'

/** Reads the requests per minute of a workspace, by its plan. */
export const readLimitSettings = ({ integer }: SettingReader): Record<Plan, number> => ({
  free: integer('DOCKET_LIMIT_FREE', 500, 1, 1e9),
  paid: integer('DOCKET_LIMIT_PAID', 5_000, 1, 1e9),
})
