import { fromJson, type Json } from '#lib/json.ts'
import type { Import } from './internal.ts'

/** What was found in a file, and what is to become of it: kept as JSON in `imports.plan`. */
export type Plan = Pick<
  Import,
  'latin1' | 'headers' | 'columns' | 'projects' | 'statuses' | 'people' | 'sample'
>

/** What a run has made beside tasks, so that it can be taken back: in `imports.made`. */
export interface Made {
  /** By the name that the file has for each. */
  projects: Record<string, string>
  /** Ids of tags. */
  tags: string[]
}

export const NO_PLAN: Plan = {
  latin1: false,
  ...{ headers: [], columns: [], projects: [], statuses: [], people: [], sample: [] },
}

export const NOTHING_MADE: Made = { projects: {}, tags: [] }

export const planOf = ({ plan }: { plan: string }): Plan => fromJson(plan as Json<Plan>)
export const madeOf = ({ made }: { made: string }): Made => fromJson(made as Json<Made>)
