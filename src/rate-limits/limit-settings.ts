import type { SettingReader } from '#core/setting-reader.ts'

/** The limits of the plans of workspaces. */
export interface LimitSettings {
  /** Requests per minute of a workspace, by its plan. */
  limits: { free: number; paid: number }
  /** Whether owners may not change the plan of their workspace. */
  planLocked: boolean
}

/** Reads the limits of the plans. */
export const readLimitSettings = ({ integer, flag }: SettingReader): LimitSettings => ({
  limits: {
    free: integer('DOCKET_LIMIT_FREE', 500, 1, 1e9),
    paid: integer('DOCKET_LIMIT_PAID', 5_000, 1, 1e9),
  },
  planLocked: flag('DOCKET_PLAN_LOCKED', false),
})
